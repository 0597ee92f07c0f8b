// The page, put together.
const OVERVIEW_HEIGHT = 40;

function drawOverview(view, lanes) {
  const canvas = $("overview");
  const whole = Object.assign(Object.create(View.prototype), { start: -0.01 * view.tookNs, end: 1.01 * view.tookNs, isOverview: true });
  const strip = document.createElement("canvas");
  const paint = () => {
    const context = fitted(canvas, OVERVIEW_HEIGHT);
    strip.width = canvas.width;
    strip.height = canvas.height;
    const height = Math.max((OVERVIEW_HEIGHT - 8) / Math.max(lanes.names.length, 1), 0.5);
    const width = canvas.clientWidth;
    lanes.names.forEach((_, lane) => lanes.draw(context, whole, width, lane, 4 + lane * height, Math.max(height - 1, 0.5), () => true));
    strip.getContext("2d").drawImage(canvas, 0, 0);
  };
  const draw = () => {
    const context = fitted(canvas, OVERVIEW_HEIGHT);
    const [width, ratio] = [canvas.clientWidth, window.devicePixelRatio || 1];
    context.drawImage(strip, 0, 0, strip.width / ratio, strip.height / ratio);
    const x = (time) => GUTTER + ((time - whole.start) / whole.span) * (width - GUTTER);
    const [left, right] = [x(view.start), Math.max(x(view.end), x(view.start) + 2)];
    context.fillStyle = theme.shade;
    context.fillRect(left, 0, right - left, OVERVIEW_HEIGHT);
    context.fillStyle = theme.accent;
    for (const edge of [left, right - 1.5]) context.fillRect(edge, 0, 1.5, OVERVIEW_HEIGHT);
  };
  listenToOverview(canvas, view, whole);
  view.listeners.push(draw);
  return paint;
}

function listenToOverview(canvas, view, whole) {
  const time = (event) => whole.start + ((event.offsetX - GUTTER) / (canvas.clientWidth - GUTTER)) * whole.span;
  let from = null;
  canvas.addEventListener("pointerdown", (event) => {
    from = time(event);
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (from !== null && Math.abs(time(event) - from) > whole.span / 200) view.show(Math.min(from, time(event)), Math.max(from, time(event)));
  });
  canvas.addEventListener("pointerup", (event) => {
    if (Math.abs(time(event) - from) <= whole.span / 200) view.show(from - view.span / 2, from + view.span / 2);
    from = null;
  });
}

function drawLegend(data, colors, timeline) {
  const types = data.tables.type.top.slice(0, PALETTE.length);
  $("legend").replaceChildren(...types.map(([type]) => {
    const swatch = element("i");
    swatch.style.background = colors.of(type);
    const button = element("button", [swatch, document.createTextNode(type || "(no type)")], { type: "button", title: type, "aria-pressed": "false" });
    button.addEventListener("click", () => {
      const isOn = button.getAttribute("aria-pressed") === "true";
      for (const one of $("legend").children) one.setAttribute("aria-pressed", "false");
      button.setAttribute("aria-pressed", String(!isOn));
      timeline.choose(isOn ? null : labelsOf(data, "type", [type]), type);
    });
    return button;
  }));
}

// The numbers of the names that a row of a table stands for.
function labelsOf(data, key, row) {
  const isIt = { name: ([name, type]) => name === row[0] && type === row[1], type: ([, type]) => type === row[0] }[key];
  const labels = new Set();
  if (isIt) data.names.forEach((pair, label) => { if (isIt(pair)) labels.add(label); });
  return labels;
}

async function main() {
  const data = JSON.parse($("data").textContent);
  const dark = matchMedia("(prefers-color-scheme: dark)");
  setTheme(dark.matches ? "dark" : "light");
  drawHead(data);
  const colors = new Colors(data.tables.type.top.map(([type]) => type));
  const [ops, ...kinds] = await Promise.all([data.ops, data.ranges, data.steps, data.marks].map(decodeAll));
  const lanes = new Lanes(data, ops);
  lanes.kinds = Uint8Array.from(data.names, ([, type]) => colors.kind(type));
  lanes.texts = data.names.map(([name, type]) => name || type || "(no name)");
  const [ranges, steps, marks] = [data.ranges, data.steps, data.marks].map((told, at) => new Spans(told, kinds[at]));
  const view = new View(data.took);
  const timeline = new Timeline(data, view, lanes, { ranges, steps, marks });
  new Hand(timeline);
  const paint = drawOverview(view, lanes);
  drawLegend(data, colors, timeline);
  new Tables(data, colors, (key, row) => {
    timeline.choose(labelsOf(data, key, row), row[0]);
    timeline.at = -1;
    return timeline.chosen !== null;
  });
  const redraw = () => {
    paint();
    drawChart(data.chart);
    view.changed();
  };
  listenToPage(view, timeline, dark, redraw);
  redraw();
  requestAnimationFrame(() => requestAnimationFrame(() => { document.documentElement.dataset.ready = "yes"; }));
}

function listenToPage(view, timeline, dark, redraw) {
  const use = (name) => {
    setTheme(name);
    redraw();
  };
  $("theme").addEventListener("click", () => use(document.documentElement.dataset.theme === "dark" ? "light" : "dark"));
  dark.addEventListener("change", () => use(dark.matches ? "dark" : "light"));
  new ResizeObserver(redraw).observe($("timeline-panel"));
  const clicks = {
    fit: () => view.fit(), "zoom-in": () => view.zoom(0.5), "zoom-out": () => view.zoom(2),
    next: () => timeline.go(1), previous: () => timeline.go(-1), clear: () => timeline.choose(null),
  };
  for (const [id, act] of Object.entries(clicks)) $(id).addEventListener("click", act);
}

main();
