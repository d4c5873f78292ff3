// Colours of the drawing in both themes; those of payload and zones are the ones of films and pictures.

export const PAYLOAD = 0xf57314;
export const TRAIL = 0xfa9e29;
export const GOAL = 0x1abf4d;
export const FORBID = 0xe61f24;
export const BUILD = 0x4080f2;
export const SELECTED = 0x2f7bff;
export const CONTACT = 0xd81b9a;
export const NOT_LOADED = 0xa9b0b8;
export const MARKS = { bad: "#c4161c", warn: "#a35200", note: "#0a58ca" };

export const THEMES = {
  light: { sky: 0xf3f6f9, floor: 0xe4e9ee, lines: 0xc9d1d9, edges: 0x27313b, edgeOpacity: 0.45, shadow: 0.2, light: 1 },
  dark: { sky: 0x14181d, floor: 0x1b2128, lines: 0x303943, edges: 0x05070a, edgeOpacity: 0.6, shadow: 0.5, light: 0.62 },
};

const LOAD_COLORS = [
  [0, [0x2b, 0x83, 0xba]],
  [0.35, [0xab, 0xdd, 0xa4]],
  [0.65, [0xff, 0xe0, 0x8a]],
  [0.9, [0xfd, 0x8d, 0x3c]],
  [1, [0xd7, 0x19, 0x1c]],
];

/** Return the colour of a load as a share of its limit; what is not loaded or not rated is grey. */
export function loadColor(ratio) {
  if (ratio === null || ratio === undefined) return NOT_LOADED;
  const above = LOAD_COLORS.findIndex(([share]) => share >= ratio);
  if (above === 0) return hex(LOAD_COLORS[0][1]);
  if (above < 0) return hex(LOAD_COLORS[LOAD_COLORS.length - 1][1]);
  const [[low, from], [high, to]] = [LOAD_COLORS[above - 1], LOAD_COLORS[above]];
  const share = (ratio - low) / (high - low);
  return hex(from.map((value, index) => Math.round(value + share * (to[index] - value))));
}

function hex([red, green, blue]) {
  return (red << 16) | (green << 8) | blue;
}
