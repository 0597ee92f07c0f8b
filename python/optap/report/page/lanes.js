// Ops of the streams: many, so that those within one pixel are drawn as one.
class Lanes {
  constructor(data, columns) {
    Object.assign(this, columns);
    this.names = data.lanes;
    this.labels32 = Uint32Array.from(columns.labels);
    this.firsts = [0];
    for (const count of data.ops.counts) this.firsts.push(this.firsts.at(-1) + count);
    this.ends = new Float64Array(this.starts.length);
    for (let lane = 0; lane < this.names.length; lane++) this.unpack(lane);
  }

  // Starts were told from one to the next; `ends` are the latest so far, so that they rise and can be searched.
  unpack(lane) {
    let [start, end] = [0, 0];
    for (let at = this.firsts[lane]; at < this.firsts[lane + 1]; at++) {
      start += this.starts[at];
      this.starts[at] = start;
      end = Math.max(end, start + this.durations[at]);
      this.ends[at] = end;
    }
  }

  draw(context, view, width, lane, top, height, chosen) {
    const scale = (width - GUTTER) / view.span;
    const stop = this.firsts[lane + 1];
    const pile = new Pile(context, top, height);
    for (let at = lowerBound(this.ends, this.firsts[lane], stop, view.start); at < stop; at++) {
      const left = (this.starts[at] - view.start) * scale;
      if (left > width) break;
      const wide = this.durations[at] * scale;
      const label = this.labels32[at];
      if (left + wide < 0) continue;
      if (wide < 1) pile.add(Math.floor(left), this.kinds[label], wide, chosen(label));
      else this.bar(context, label, Math.max(left, 0), Math.min(left + wide, width), top, height, chosen(label), !view.isOverview);
    }
    pile.draw();
    context.globalAlpha = 1;
  }

  bar(context, label, left, right, top, height, isChosen, hasText) {
    context.globalAlpha = isChosen ? 1 : DIM;
    context.fillStyle = PAINTS[this.kinds[label]];
    context.fillRect(GUTTER + left, top, Math.max(right - left - 0.6, 1), height);
    if (hasText && right - left > 30) writeEnd(context, this.texts[label], GUTTER + left, GUTTER + right, top + height / 2);
  }

  // The op of a lane at a time, or the nearest within `slack`.
  find(lane, time, slack) {
    const stop = this.firsts[lane + 1];
    let [found, nearest] = [-1, Infinity];
    for (let at = lowerBound(this.ends, this.firsts[lane], stop, time - slack); at < stop && this.starts[at] <= time + slack; at++) {
      const away = Math.max(this.starts[at] - time, time - this.starts[at] - this.durations[at], 0);
      if (away <= slack && (away < nearest || (away === nearest && this.durations[at] < this.durations[found]))) [found, nearest] = [at, away];
    }
    return found;
  }

  lane(at) {
    return lowerBound(this.firsts, 0, this.firsts.length, at + 1) - 1;
  }
}

const DIM = 0.13;
const LEAST_SHARE = 0.12;

// Ops of one pixel, piled up by colour: as high as the share of the pixel's time that they took.
class Pile {
  constructor(context, top, height) {
    Object.assign(this, { context, top, height, pixel: -1 });
    this.taken = new Float64Array(2 * PAINTS.length);
  }

  add(pixel, kind, taken, isChosen) {
    if (pixel !== this.pixel) {
      this.draw();
      this.pixel = pixel;
    }
    this.taken[isChosen ? kind : PAINTS.length + kind] += taken;
  }

  draw() {
    const all = this.taken.reduce((sum, one) => sum + one, 0);
    if (!all) return;
    const scale = (this.height * Math.min(Math.max(all, LEAST_SHARE), 1)) / all;
    let bottom = this.top + this.height;
    this.taken.forEach((taken, kind) => {
      if (!taken) return;
      this.context.globalAlpha = kind < PAINTS.length ? 1 : DIM;
      this.context.fillStyle = PAINTS[kind % PAINTS.length];
      this.context.fillRect(GUTTER + this.pixel, bottom - taken * scale, 1, taken * scale);
      bottom -= taken * scale;
    });
    this.taken.fill(0);
  }
}
