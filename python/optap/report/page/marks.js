// Ranges, steps and marks: few, each drawn by itself.
class Spans {
  constructor(told, columns) {
    this.names = told.names;
    Object.assign(this, columns);
    this.count = this.starts.length;
    this.rowCount = this.rows.reduce((most, row) => Math.max(most, row + 1), 0);
    this.longest = this.durations.reduce((most, one) => Math.max(most, one), 0);
  }

  // Draws bars in rows of `height` from `top` on, those that the view shows.
  draw(context, view, width, top, height, title, color) {
    const scale = (width - GUTTER) / view.span;
    const last = new Map();
    for (let at = this.firstAt(view.start); at < this.count && this.starts[at] < view.end; at++) {
      const left = GUTTER + Math.max((this.starts[at] - view.start) * scale, -2);
      const right = GUTTER + Math.min((this.starts[at] + this.durations[at] - view.start) * scale, width);
      const row = this.rows[at];
      if (right < GUTTER || (right - left < 1 && right - (last.get(row) ?? -9) < 1)) continue;
      last.set(row, right);
      context.fillStyle = color(this, at);
      context.fillRect(left, top + row * height + 1, Math.max(right - left - 0.5, 1), height - 2);
      write(context, title(this, at), Math.max(left, GUTTER), right, top + row * height + height / 2);
    }
  }

  // The first span that can reach into the view: none is longer than the longest.
  firstAt(start) {
    return lowerBound(this.starts, 0, this.count, start - this.longest);
  }

  // The span of a row at a time, or the nearest within `slack`.
  find(row, time, slack) {
    let found = -1;
    for (let at = this.firstAt(time - slack); at < this.count && this.starts[at] <= time + slack; at++) {
      if (this.rows[at] === row && this.starts[at] + this.durations[at] >= time - slack) found = at;
    }
    return found;
  }
}

// The first place from `from` to `to` whose value is not below `value`.
function lowerBound(values, from, to, value) {
  while (from < to) {
    const middle = (from + to) >> 1;
    if (values[middle] < value) from = middle + 1;
    else to = middle;
  }
  return from;
}

// Text inside a bar, as much of its beginning as fits.
function write(context, text, left, right, middle) {
  const room = letters(left, right);
  if (room < 3) return;
  context.fillStyle = "#ffffff";
  context.fillText(text.length <= room ? text : `${text.slice(0, room - 1)}…`, left + 5, middle + 0.5);
}

// As much of its end as fits: operators of one model begin alike.
function writeEnd(context, text, left, right, middle) {
  const room = letters(left, right);
  if (room < 3) return;
  context.fillStyle = "#ffffff";
  context.fillText(text.length <= room ? text : `…${text.slice(1 - room)}`, left + 5, middle + 0.5);
}

const letters = (left, right) => Math.floor((right - left - 10) / 6.3);
