// The sortable tables.
const TITLES = { name: "Operators", type: "Types", stream: "Streams", range: "Ranges", step: "Steps" };
const FIRST_ROWS = 100;
const SPAN_COLUMNS = [["times", 2, whole], ["took", 3, duration]];
const COLUMNS = [
  ["count", 4, whole], ["total", 5, duration], ["share", 6, percent], ["min", 7, duration], ["mean", 8, duration],
  ["p50", 9, duration], ["p99", 10, duration], ["max", 11, duration],
];

class Tables {
  constructor(data, colors, choose) {
    Object.assign(this, { data, colors, choose });
    this.shown = FIRST_ROWS;
    this.keys = Object.keys(TITLES).filter((key) => this.rows(key).length && !(key in { range: 0, step: 0 } && this.rows(key).every((row) => !row[2])));
    $("search").addEventListener("input", () => this.fill());
    if (this.keys.length) this.open(this.keys[0]);
  }

  rows(key) {
    return this.data.tables[key].top;
  }

  open(key) {
    this.key = key;
    this.shown = FIRST_ROWS;
    this.sorted = { at: 5, down: true };
    $("tabs").replaceChildren(...this.keys.map((one) => {
      const tab = element("button", TITLES[one], { type: "button", role: "tab", "aria-selected": String(one === key) });
      tab.addEventListener("click", () => this.open(one));
      return tab;
    }));
    this.fill();
  }

  columns() {
    const texts = { name: [["operator", 0], ["type", 1]], range: [["range", 0], ["domain", 1]] }[this.key] ?? [[this.key, 0]];
    const spans = this.key === "range" || this.key === "step" ? SPAN_COLUMNS : [];
    return [...texts, ...spans, ...COLUMNS];
  }

  fill() {
    const { at, down } = this.sorted;
    const wanted = $("search").value.toLowerCase();
    const rows = this.rows(this.key).filter((row) => `${row[0]} ${row[1]}`.toLowerCase().includes(wanted));
    const order = (a, b) => (typeof a[at] === "string" ? a[at].localeCompare(b[at], "en", { numeric: true }) : a[at] - b[at]);
    rows.sort((a, b) => (down ? -order(a, b) : order(a, b)));
    $("table").tHead.replaceChildren(element("tr", this.columns().map((column) => this.heading(column))));
    $("table").tBodies[0].replaceChildren(...rows.slice(0, this.shown).map((row) => this.line(row)));
    this.tellMore(rows.length, wanted);
  }

  heading([title, at, format]) {
    const cell = element("th", title, { scope: "col", tabindex: "0", ...(format ? {} : { class: "text" }) });
    if (at === this.sorted.at) cell.setAttribute("aria-sort", this.sorted.down ? "descending" : "ascending");
    const sort = () => {
      this.sorted = { at, down: at === this.sorted.at ? !this.sorted.down : Boolean(format) };
      this.fill();
    };
    cell.addEventListener("click", sort);
    cell.addEventListener("keydown", (event) => { if (event.key === "Enter") sort(); });
    return cell;
  }

  line(row) {
    const line = element("tr", this.columns().map((column) => this.cell(row, column)));
    line.addEventListener("click", () => {
      for (const one of document.querySelectorAll("tr.chosen")) one.classList.remove("chosen");
      line.classList.toggle("chosen", this.choose(this.key, row));
    });
    return line;
  }

  cell(row, [, at, format]) {
    if (!format) return element("td", row[at] || (at ? "" : "(no name)"), { class: at ? "text kind" : "text" });
    const text = at >= 7 && row[4] === 0 ? "–" : format(row[at]);
    if (at !== 6) return element("td", text);
    const fill = element("i");
    fill.style.width = `${100 * Math.min(row[6] / (this.most() || 1), 1)}%`;
    fill.style.background = this.colors.of({ name: row[1], type: row[0] }[this.key]);
    return element("td", [document.createTextNode(text), element("span", fill, { class: "meter" })]);
  }

  most() {
    return Math.max(...this.rows(this.key).map((row) => row[6]));
  }

  tellMore(found, wanted) {
    const { rows, top } = this.data.tables[this.key];
    const parts = [];
    if (rows > top.length) parts.push(`${whole(rows - top.length)} more rows, with less time each, are not in this report.`);
    if (wanted && !found) parts.push("Nothing has this in its name.");
    $("more").replaceChildren(...parts.map((text) => element("span", `${text} `)));
    if (found > this.shown) {
      const button = element("button", `Show ${whole(found - this.shown)} more`, { type: "button" });
      button.addEventListener("click", () => { this.shown = found; this.fill(); });
      $("more").append(button);
    }
    $("more").hidden = !$("more").hasChildNodes();
  }
}
