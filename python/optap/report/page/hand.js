// What a hand does on the timeline.
class Hand {
  constructor(timeline) {
    this.timeline = timeline;
    this.view = timeline.view;
    this.canvas = timeline.canvas;
    this.held = null;
    this.listen();
  }

  listen() {
    const { canvas, view } = this;
    canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    canvas.addEventListener("pointerdown", (event) => this.take(event));
    canvas.addEventListener("pointermove", (event) => (this.held ? this.drag(event) : this.tip(event)));
    canvas.addEventListener("pointerup", (event) => this.release(event));
    canvas.addEventListener("pointerleave", () => { $("tip").hidden = true; });
    canvas.addEventListener("dblclick", () => view.fit());
    canvas.addEventListener("keydown", (event) => this.key(event));
  }

  // Where `x` lies in the view, from 0 to 1.
  share(x) {
    return (x - GUTTER) / (this.canvas.clientWidth - GUTTER);
  }

  wheel(event) {
    const isZoom = event.ctrlKey || Math.abs(event.deltaY) > Math.abs(event.deltaX);
    if (isZoom) this.view.zoom(1.0018 ** Math.max(Math.min(event.deltaY, 400), -400), Math.max(this.share(event.offsetX), 0));
    else this.view.move(event.deltaX / this.canvas.clientWidth);
    event.preventDefault();
  }

  take(event) {
    this.held = { x: event.offsetX, start: this.view.start, span: this.view.span, isMoved: false, isPart: event.shiftKey };
    this.canvas.setPointerCapture(event.pointerId);
    this.canvas.classList.add("held");
    $("tip").hidden = true;
  }

  drag(event) {
    const { held, view } = this;
    held.isMoved ||= Math.abs(event.offsetX - held.x) > 3;
    if (!held.isMoved) return;
    if (held.isPart) return this.drawPart(held.x, event.offsetX);
    const start = held.start - (this.share(event.offsetX) - this.share(held.x)) * held.span;
    view.show(start, start + held.span);
  }

  release(event) {
    const { held } = this;
    this.held = null;
    this.canvas.classList.remove("held");
    if (held?.isMoved && held.isPart) this.showPart(held.x, event.offsetX);
    else if (held && !held.isMoved) this.click(event.offsetX, event.offsetY);
  }

  drawPart(from, to) {
    this.timeline.draw();
    const context = this.canvas.getContext("2d");
    context.fillStyle = theme.shade;
    context.fillRect(Math.min(from, to), 0, Math.abs(to - from), this.timeline.height);
  }

  showPart(from, to) {
    const [left, right] = [Math.min(from, to), Math.max(from, to)].map((x) => this.view.start + this.share(x) * this.view.span);
    this.view.show(left, right);
  }

  click(x, y) {
    const { timeline } = this;
    const found = timeline.under(x, y);
    if (found?.kind === "lanes") {
      timeline.at = found.at;
      const label = timeline.lanes.labels32[found.at];
      timeline.choose(new Set([label]), timeline.lanes.texts[label]);
    } else if (found?.kind === "ranges" || found?.kind === "steps") {
      const spans = timeline.spans[found.kind];
      const edge = spans.durations[found.at] * 0.05;
      this.view.show(spans.starts[found.at] - edge, spans.starts[found.at] + spans.durations[found.at] + edge);
    } else {
      timeline.choose(null);
    }
  }

  key(event) {
    const keys = {
      ArrowLeft: () => this.view.move(-0.15), ArrowRight: () => this.view.move(0.15),
      ArrowUp: () => this.view.zoom(0.7), ArrowDown: () => this.view.zoom(1 / 0.7),
      "+": () => this.view.zoom(0.7), "=": () => this.view.zoom(0.7), "-": () => this.view.zoom(1 / 0.7),
      0: () => this.view.fit(), n: () => this.timeline.go(1), p: () => this.timeline.go(-1), Escape: () => this.timeline.choose(null),
    };
    if (!keys[event.key] || event.ctrlKey || event.metaKey) return;
    keys[event.key]();
    event.preventDefault();
  }

  tip(event) {
    const found = this.timeline.under(event.offsetX, event.offsetY);
    const tip = $("tip");
    tip.hidden = found === null;
    if (found === null) return;
    const [title, rows] = this.told(found);
    tip.replaceChildren(element("b", title), element("dl", rows.flatMap(([name, value]) => [element("dt", name), element("dd", value)])));
    const left = Math.min(event.clientX + 14, window.innerWidth - tip.offsetWidth - 8);
    const below = event.clientY + 18;
    tip.style.left = `${left}px`;
    tip.style.top = `${below + tip.offsetHeight > window.innerHeight ? event.clientY - tip.offsetHeight - 12 : below}px`;
  }

  told({ kind, row, at }) {
    const { lanes, spans, data } = this.timeline;
    const source = kind === "lanes" ? lanes : spans[kind];
    const [name, type] = (kind === "lanes" ? data.names : source.names)[source.labels[at]] ?? ["", ""];
    const times = [["took", duration(source.durations[at])], ["begins at", moment(source.starts[at], 1)]];
    if (kind === "steps") return [`step ${source.numbers[at]}`, times];
    if (kind === "marks") return [name || "mark", [["domain", type], times[1]].filter(([, value]) => value)];
    if (kind === "ranges") return [name || "range", [["domain", type], ...times].filter(([, value]) => value)];
    const run = source.runs[at] ? [["run", whole(source.runs[at])]] : [];
    return [name || "(no name)", [["type", type || "–"], ...times, ["on", lanes.names[row]], ...run]];
  }
}
