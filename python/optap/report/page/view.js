// The part of the time that is shown, and who draws it.
const GUTTER = 132;
const LEAST_NS = 20;

class View {
  constructor(tookNs) {
    this.tookNs = Math.max(tookNs, LEAST_NS);
    this.listeners = [];
    this.isAsked = false;
    this.fit();
  }

  get span() {
    return this.end - this.start;
  }

  fit() {
    const edge = this.tookNs * 0.01;
    this.show(-edge, this.tookNs + edge);
  }

  show(start, end) {
    const edge = this.tookNs * 0.01;
    const span = Math.min(Math.max(end - start, LEAST_NS), this.tookNs + 2 * edge);
    const middle = (start + end) / 2;
    this.start = Math.min(Math.max(middle - span / 2, -edge), this.tookNs + edge - span);
    this.end = this.start + span;
    this.changed();
  }

  // Zooms by a factor; what lies at `share` of the width stays there.
  zoom(factor, share = 0.5) {
    const at = this.start + share * this.span;
    const span = Math.min(Math.max(this.span * factor, LEAST_NS), this.tookNs * 1.02);
    this.show(at - share * span, at + (1 - share) * span);
  }

  move(share) {
    this.show(this.start + share * this.span, this.end + share * this.span);
  }

  changed() {
    if (this.isAsked) return;
    this.isAsked = true;
    requestAnimationFrame(() => {
      this.isAsked = false;
      for (const listener of this.listeners) listener();
    });
  }
}

// Round instants from `start` to `end`, at least `gap` apart.
function ticks(start, end, gap) {
  const power = 10 ** Math.floor(Math.log10(gap));
  const step = [1, 2, 5, 10].map((one) => one * power).find((one) => one >= gap);
  const told = [];
  for (let at = Math.ceil(start / step) * step; at <= end && told.length < 100; at += step) told.push(at);
  return { step, told };
}
