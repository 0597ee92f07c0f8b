// The canvas of ranges, steps, marks and streams.
const ROW = 19;

class Timeline {
  constructor(data, view, lanes, spans) {
    Object.assign(this, { data, view, lanes, spans });
    this.canvas = $("timeline");
    this.chosen = null;
    this.at = -1;
    this.laneHeight = lanes.names.length <= 8 ? 34 : lanes.names.length <= 24 ? 24 : 17;
    this.layOut();
    view.listeners.push(() => this.draw());
  }

  // Where each group of rows begins.
  layOut() {
    this.groups = [];
    let top = 6;
    const add = (kind, rows, height, gap, draw) => {
      if (rows) this.groups.push({ kind, rows, height, top, draw });
      top += rows ? rows * height + gap : 0;
    };
    add("steps", this.spans.steps.rowCount, ROW, 5, this.drawSteps);
    add("marks", this.spans.marks.rowCount, 14, 5, this.drawMarks);
    add("ranges", this.spans.ranges.rowCount, ROW, 8, this.drawRanges);
    add("lanes", this.lanes.names.length, this.laneHeight, 6, this.drawLanes);
    this.height = Math.max(top, 60);
  }

  isChosen = (label) => this.chosen === null || this.chosen.has(label);

  draw() {
    const context = fitted(this.canvas, this.height);
    const width = this.canvas.clientWidth;
    context.font = FONT;
    context.textBaseline = "middle";
    this.drawGrid(context, width);
    for (const group of this.groups) group.draw.call(this, context, width, group);
    this.drawGutter(context);
    this.drawAxis(width);
    $("window").textContent = `${moment(this.view.start, this.view.span / 1000)} – ${moment(this.view.end, this.view.span / 1000)}, ${duration(this.view.span)} shown`;
  }

  drawGrid(context, width) {
    const scale = (width - GUTTER) / this.view.span;
    context.fillStyle = theme.line;
    for (const at of ticks(this.view.start, this.view.end, 110 / scale).told) {
      context.fillRect(Math.round(GUTTER + (at - this.view.start) * scale), 0, 1, this.height);
    }
  }

  drawAxis(width) {
    const context = fitted($("axis"), 24);
    const scale = (width - GUTTER) / this.view.span;
    context.font = FONT;
    context.textBaseline = "middle";
    context.fillStyle = theme.muted;
    const { step, told } = ticks(this.view.start, this.view.end, 110 / scale);
    for (const at of told) {
      const left = Math.round(GUTTER + (at - this.view.start) * scale);
      context.fillRect(left, 18, 1, 6);
      if (left < width - 50) context.fillText(moment(at, step), left + 4, 12);
    }
  }

  drawSteps(context, width, { top, height }) {
    const title = (spans, at) => `step ${spans.numbers[at]}`;
    const color = (_, at) => (at % 2 ? "#7d86a5" : "#636c8c");
    this.spans.steps.draw(context, this.view, width, top, height, title, color);
  }

  drawRanges(context, width, { top, height }) {
    const title = (spans, at) => spans.names[spans.labels[at]][0];
    const color = (spans, at) => SPAN_PALETTE[spans.labels[at] % SPAN_PALETTE.length];
    this.spans.ranges.draw(context, this.view, width, top, height, title, color);
  }

  drawMarks(context, width, { top, height }) {
    const { starts, count } = this.spans.marks;
    const scale = (width - GUTTER) / this.view.span;
    context.fillStyle = theme.accent;
    let last = -9;
    for (let at = lowerBound(starts, 0, count, this.view.start); at < count && starts[at] < this.view.end; at++) {
      const left = GUTTER + (starts[at] - this.view.start) * scale;
      if (left - last < 1) continue;
      last = left;
      context.beginPath();
      context.moveTo(left, top + height - 1);
      context.lineTo(left - 4.5, top + 2);
      context.lineTo(left + 4.5, top + 2);
      context.fill();
    }
  }

  drawLanes(context, width, { top, height, rows }) {
    const edge = height > 20 ? 4 : 2;
    for (let lane = 0; lane < rows; lane++) {
      const at = top + lane * height;
      context.fillStyle = theme.stripe;
      if (lane % 2 === 0) context.fillRect(GUTTER, at, width - GUTTER, height);
      this.drawHills(context, width, lane, at, height);
      this.lanes.draw(context, this.view, width, lane, at + edge, height - 2 * edge, this.isChosen);
    }
  }

  // The share of time that ops took which are too many to be shown.
  drawHills(context, width, lane, top, height) {
    const { start, width: wide, lanes } = this.data.density;
    const scale = (width - GUTTER) / this.view.span;
    context.fillStyle = theme.hill;
    (lanes[lane] ?? []).forEach((share, bin) => {
      const left = GUTTER + (start + bin * wide - this.view.start) * scale;
      if (share && left < width && left + wide * scale > GUTTER) context.fillRect(left, top + height - share * height, Math.max(wide * scale, 1), share * height);
    });
  }

  drawGutter(context) {
    context.fillStyle = theme.surface;
    context.fillRect(0, 0, GUTTER, this.height);
    context.fillStyle = theme.line;
    context.fillRect(GUTTER - 1, 0, 1, this.height);
    context.fillStyle = theme.muted;
    for (const { kind, rows, height, top } of this.groups) {
      const names = kind === "lanes" ? this.lanes.names : [kind]
      names.slice(0, rows).forEach((name, row) => context.fillText(name, 14, top + row * height + height / 2 + 0.5, GUTTER - 22));
    }
  }

  // What lies under a point: group, row and place, or nothing.
  under(x, y) {
    const group = this.groups.find(({ top, rows, height }) => y >= top && y < top + rows * height);
    if (!group || x < GUTTER) return null;
    const row = Math.floor((y - group.top) / group.height);
    const scale = this.view.span / (this.canvas.clientWidth - GUTTER);
    const time = this.view.start + (x - GUTTER) * scale;
    const source = group.kind === "lanes" ? this.lanes : this.spans[group.kind];
    const at = source.find(row, time, (group.kind === "marks" ? 5 : 1.5) * scale);
    return at < 0 ? null : { kind: group.kind, row, at };
  }

  choose(labels, title = "") {
    this.chosen = labels && labels.size ? labels : null;
    $("selection").hidden = this.chosen === null;
    $("selected").textContent = title;
    this.view.changed();
  }

  // Goes to the next op of those chosen, or to the one before.
  go(step) {
    if (this.chosen === null) return;
    const { starts, durations, labels32 } = this.lanes;
    for (let tried = 1, at = this.at; tried <= starts.length; tried++) {
      at = (at + step + starts.length) % starts.length;
      if (!this.chosen.has(labels32[at])) continue;
      this.at = at;
      const half = Math.max(durations[at] * 6, this.view.span > this.view.tookNs / 20 ? durations[at] * 30 : this.view.span / 2);
      const middle = starts[at] + durations[at] / 2;
      this.view.show(middle - half, middle + half);
      return;
    }
  }
}
