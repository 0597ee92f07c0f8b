// Steps, or runs where there are no steps, one after the other.
const CHART_HEIGHT = 190;

function drawChart({ kind, count, bars }) {
  $("chart-panel").hidden = bars.length === 0;
  if (!bars.length) return;
  $("chart-title").textContent = { step: "Steps", run: "Runs" }[kind];
  const mean = bars.reduce((sum, bar) => sum + bar[2], 0) / bars.length;
  $("chart-sum").replaceChildren(`${plural(count, kind)}, ${duration(mean)} on average`, key("key soft", "took"), key("key", "time of operators"));
  const width = Math.max($("chart").clientWidth - 32, 200);
  const svg = drawing("svg", { viewBox: `0 0 ${width} ${CHART_HEIGHT}`, height: CHART_HEIGHT, role: "img", "aria-label": `Time of each ${kind}` });
  const most = Math.max(...bars.map((bar) => Math.max(bar[3], bar[4]))) || 1;
  const [left, bottom] = [62, CHART_HEIGHT - 22];
  const y = (ns) => bottom - (ns / most) * (bottom - 10);
  for (const at of ticks(0, most, most / 4.5).told) {
    svg.append(drawing("line", { class: "rule", x1: left, x2: width, y1: y(at), y2: y(at) }));
    svg.append(drawing("text", { x: left - 8, y: y(at) + 4, "text-anchor": "end" }, at ? duration(at) : "0"));
  }
  const wide = (width - left) / bars.length;
  bars.forEach((bar, at) => svg.append(drawBar(bar, kind, left + at * wide, wide, y, bottom)));
  const every = Math.ceil(64 / wide);
  for (let at = 0; at < bars.length; at += every) {
    svg.append(drawing("text", { x: left + (at + 0.5) * wide, y: CHART_HEIGHT - 6, "text-anchor": "middle" }, whole(bars[at][0])));
  }
  $("chart").replaceChildren(svg);
}

function drawBar([first, last, took, most, busy, count], kind, x, wide, y, bottom) {
  const group = drawing("g", {});
  const inner = Math.max(wide - Math.min(wide * 0.25, 4), 0.5);
  const rect = (name, ns, inset) => drawing("rect", { class: name, x: x + inset, y: y(ns), width: Math.max(inner - 2 * inset, 0.5), height: Math.max(bottom - y(ns), 0.5), rx: Math.min(2, inner / 4) });
  group.append(rect("took", took, 0), rect("busy", busy, 0));
  if (last !== first) group.append(drawing("line", { class: "most", x1: x + inner / 2, x2: x + inner / 2, y1: y(most), y2: y(took) }));
  const title = first === last ? `${kind} ${first}` : `${kind}s ${first} to ${last}, on average; the longest took ${duration(most)}`;
  group.append(drawing("title", {}, `${title}\ntook ${duration(took)}\noperators ${duration(busy)}, ${whole(count)} of them`));
  return group;
}

function key(name, text) {
  return element("span", [element("span", "", { class: name }), document.createTextNode(text)]);
}
