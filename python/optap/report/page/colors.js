// One colour for each of the types that take most of the time, one for all others.
const PALETTE = ["#5b6be0", "#e07b39", "#2a9d7c", "#c4549c", "#3f9bd4", "#b8902a", "#8b5fd0", "#d3545c", "#5c9a3e", "#2fa5a5", "#a4683f", "#6f7fb0"];
const OTHER = "#9299ab";
const PAINTS = [...PALETTE, OTHER];
const SPAN_PALETTE = ["#7c86e8", "#4fb3a0", "#d99a5b", "#c07fc0", "#6fb0de", "#b5a55a", "#d68088", "#86b06a"];

class Colors {
  constructor(types) {
    this.byType = new Map(types.slice(0, PALETTE.length).map((type, at) => [type, at]));
  }

  // The place of a type's colour in `PAINTS`.
  kind(type) {
    return this.byType.get(type) ?? PALETTE.length;
  }

  of(type) {
    return PAINTS[this.kind(type)];
  }
}

// The page's own colours, as they are in the theme that is on.
const theme = {};

function readTheme() {
  const style = getComputedStyle(document.documentElement);
  for (const name of ["surface", "raised", "ink", "muted", "line", "accent", "shade", "hill", "stripe"]) {
    theme[name] = style.getPropertyValue(`--${name}`).trim();
  }
}

function setTheme(name) {
  document.documentElement.dataset.theme = name;
  readTheme();
}

const FONT = "12px system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif";
