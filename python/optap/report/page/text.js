// Values as text.
const UNITS = [[1e9, "s"], [1e6, "ms"], [1e3, "µs"]];

function duration(ns) {
  for (const [size, unit] of UNITS) {
    if (ns >= size) {
      const value = ns / size;
      return `${value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0)} ${unit}`;
    }
  }
  return `${Math.round(ns)} ns`;
}

// A point of time, exact to what `stepNs` tells apart.
function moment(ns, stepNs) {
  if (ns === 0) return "0";
  const [size, unit] = UNITS.find(([size]) => Math.abs(ns) >= size) ?? [1, "ns"];
  const digits = Math.min(Math.max(Math.ceil(-Math.log10(stepNs / size) - 1e-9), 0), 9);
  return `${(ns / size).toFixed(digits)} ${unit}`;
}

const whole = (value) => Math.round(value).toLocaleString("en");
const percent = (share) => `${(100 * share).toFixed(1)} %`;
const plural = (count, one) => `${whole(count)} ${one}${count === 1 ? "" : "s"}`;
