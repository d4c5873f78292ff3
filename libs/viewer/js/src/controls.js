// The viewer's controls: time bar with moments, tools, the card of the selected part and the legend of loads.

import { element, press, toggle } from "./elements.js";
import { loadColor } from "./palette.js";
import { PartsTree } from "./parts_tree.js";

const KEYS = [
  ["Space", "play or pause"],
  ["← →", "one picture back or on; with Shift half a second"],
  ["[ ]", "previous or next moment"],
  ["n p", "next or previous part"],
  ["v V", "next or previous finding"],
  ["o", "tree of parts"],
  ["h i u", "hide the selected part, show it alone, show all"],
  ["w a s d", "turn the camera; + and − go nearer or away"],
  ["f", "fit the machine, or the selected part"],
  ["0 … 6", "best view, iso, front, back, left, right, top"],
  ["z t g c l", "zones, trail, ghosts, contact forces, loads as colours"],
  ["e", "exploded view"],
  ["x", "section plane: x, y, z, none"],
  ["m", "measure between two points"],
  ["Esc", "clear selection and measurement"],
];
const TOGGLES = [
  ["zones", "Zones", "Build zone, goal and forbidden zones (z)"],
  ["environment", "World", "What the benchmark brings"],
  ["trail", "Trail", "Path of the payload (t)"],
  ["ghosts", "Ghosts", "Earlier poses of the payload (g)"],
  ["contacts", "Forces", "Contact forces on parts (c)"],
  ["loads", "Loads", "Loads against ratings as colours (l)"],
];

export class Controls {
  constructor(root, viewer, data) {
    this.viewer = viewer;
    this.moments = data.moments;
    this.stage = element("div", { className: "mv-stage" });
    this.canvas = element("canvas", { className: "mv-canvas", role: "img", "aria-label": "World and machine in 3D" });
    this.label = element("div", { className: "mv-label", hidden: true });
    this.card = element("div", { className: "mv-card", hidden: true });
    this.legend = legend();
    this.caption = element("p", { className: "mv-caption", role: "status" });
    this.help = help();
    this.stage.append(this.canvas, viewer.findings.layer, this.label, this.card, this.legend, this.caption, this.help);
    this.main = element("div", { className: "mv-main", children: [this.stage, viewer.findings.root] });
    root.append(this.main);
  }

  /** Add the bars below the stage, once it is known whether anything moves. */
  addBars(root, replay) {
    if (replay.hasMotion) root.append(this.timeBar(replay));
    root.append(this.tools());
    this.tree = new PartsTree(this.viewer);
    this.main.prepend(this.tree.root);
  }

  showTree(isOn) {
    this.tree.root.hidden = !isOn;
    press(this.treeButton, isOn);
  }

  timeBar(replay) {
    const { startS, endS } = replay;
    this.play = element("button", { type: "button", className: "mv-button mv-play", text: "▶", "aria-label": "Play", on: { click: () => this.viewer.toggle() } });
    this.range = element("input", { type: "range", className: "mv-range", min: startS, max: endS, step: 0.001, value: startS, "aria-label": "Time of the replay in seconds" });
    this.range.addEventListener("input", () => this.viewer.seek(Number(this.range.value)));
    this.clock = element("output", { className: "mv-clock", text: seconds(startS) });
    const ticks = element("div", { className: "mv-ticks" });
    this.ticks = this.moments.map((moment) => {
      const tick = element("button", { type: "button", className: `mv-tick mv-${moment.tone}`, title: momentText(moment), "aria-label": momentText(moment), tabindex: "-1", on: { click: () => this.viewer.moment(moment) } });
      tick.style.left = `${(100 * (moment.time_s - startS)) / Math.max(1e-9, endS - startS)}%`;
      ticks.append(tick);
      return tick;
    });
    const track = element("div", { className: "mv-track", children: [this.range, ticks] });
    return element("div", { className: "mv-time", children: [this.play, track, this.clock] });
  }

  tools() {
    this.toggles = new Map(
      TOGGLES.filter(() => this.viewer.world.payload).map(([name, text, title]) => {
        const change = (isOn) => (isOn ? this.viewer.show(name) : this.viewer.hide(name));
        return [name, toggle(text, title, this.viewer.isShown(name), change)];
      }),
    );
    this.explode = element("input", { type: "range", min: 0, max: 1, step: 0.01, value: 0, className: "mv-small", "aria-label": "Exploded view" });
    this.explode.addEventListener("input", () => this.viewer.explode(Number(this.explode.value)));
    const axes = ["", "x", "y", "z"].map((axis) => element("option", { value: axis, text: axis || "off" }));
    this.axis = element("select", { className: "mv-select", "aria-label": "Axis of the section plane", children: axes });
    this.axis.addEventListener("change", () => this.viewer.section(this.axis.value ? { axis: this.axis.value } : null));
    this.cut = element("input", { type: "range", className: "mv-small", "aria-label": "Place of the section plane in millimetres", hidden: true });
    this.cut.addEventListener("input", () => this.viewer.section({ axis: this.axis.value, at_mm: Number(this.cut.value) }));
    this.measure = toggle("Measure", "Distance between two points (m)", false, (isOn) => this.viewer.measure(isOn));
    const fit = element("button", { type: "button", className: "mv-button", text: "Fit", title: "Show the machine, or the selected part (f)", on: { click: () => this.viewer.fit() } });
    const keys = toggle("?", "Keys", false, (isOn) => this.showHelp(isOn));
    keys.setAttribute("aria-label", "Keys");
    this.keys = keys;
    this.treeButton = toggle("Parts", "Tree of parts: select, hide, show alone (o)", false, (isOn) => this.showTree(isOn));
    const { length } = this.viewer.data.findings;
    this.findings = toggle(`Findings (${length})`, "Why the design is refused, or has failed (v: next one)", true, (isOn) => this.viewer.showFindings(isOn));
    this.findings.hidden = !length;
    const group = (text, ...children) => element("label", { className: "mv-group", children: [element("span", { text }), ...children] });
    const section = element("span", { className: "mv-group", children: [group("Section", this.axis), this.cut] });
    return element("div", { className: "mv-tools", role: "toolbar", "aria-label": "View", children: [this.treeButton, this.findings, ...this.toggles.values(), group("Explode", this.explode), section, this.measure, fit, keys] });
  }

  showHelp(isOn) {
    this.help.hidden = !isOn;
    press(this.keys, isOn);
  }

  /** Show the state of the viewer in all controls. */
  update(state) {
    if (this.range) {
      this.range.value = state.time_s;
      this.clock.textContent = seconds(state.time_s);
      this.play.textContent = state.isPlaying ? "❚❚" : "▶";
      this.play.setAttribute("aria-label", state.isPlaying ? "Pause" : "Play");
      const last = this.moments.filter((moment) => moment.time_s <= state.time_s + 1e-6).at(-1);
      const text = last ? momentText(last) : "";
      if (this.caption.textContent !== text) this.caption.textContent = text;
      this.ticks.forEach((tick, index) => tick.classList.toggle("mv-now", this.moments[index] === last));
    }
    for (const [name, button] of this.toggles) press(button, this.viewer.isShown(name));
    this.legend.hidden = !this.viewer.isShown("loads");
    this.explode.value = state.exploded;
    this.axis.value = state.section?.axis ?? "";
    this.cut.hidden = !state.section;
    if (state.section) {
      const { low, high, at_mm: at } = state.section;
      Object.assign(this.cut, { min: low, max: high, step: (high - low) / 500 });
      this.cut.value = at;
    }
    this.tree?.update(state);
    press(this.findings, !this.viewer.findings.root.hidden);
    press(this.measure, state.isMeasuring);
    this.stage.classList.toggle("mv-measuring", state.isMeasuring);
  }

  /** Show what is known of a part; null hides the card. */
  showPart(label, part, forceN) {
    this.card.hidden = label === null;
    if (label === null) return;
    const rows = partRows(part ?? {}, forceN);
    const close = element("button", { type: "button", className: "mv-close", text: "×", "aria-label": "Clear the selection", on: { click: () => this.viewer.select(null) } });
    const facts = rows.flatMap(([name, value]) => [element("dt", { text: name }), element("dd", { text: value })]);
    this.card.replaceChildren(close, element("strong", { text: label }), element("dl", { children: facts }));
  }

  showLabel(pixel, text) {
    this.label.hidden = !pixel;
    if (!pixel) return;
    this.label.textContent = text;
    this.label.style.transform = `translate(${Math.round(pixel.x)}px, ${Math.round(pixel.y)}px) translate(-50%, -130%)`;
  }

  fail(text) {
    this.stage.replaceChildren(element("p", { className: "mv-failure", role: "alert", text }));
  }
}

function partRows(part, forceN) {
  const rows = [];
  const add = (name, value) => value !== undefined && value !== null && value !== "" && rows.push([name, value]);
  add("what", part.kind);
  add("material", part.material);
  add("made by", part.process);
  add("mass", part.mass_g === undefined || part.mass_g === null ? null : `${Number(part.mass_g.toPrecision(4))} g`);
  add("price", part.price_usd === undefined || part.price_usd === null ? null : `${part.price_usd.toFixed(2)} USD`);
  add("load", part.load_ratio === undefined || part.load_ratio === null ? null : `${Math.round(100 * part.load_ratio)} % of its rating`);
  for (const text of part.loads ?? []) add("", text);
  add("force now", forceN === null ? null : `${Number(forceN.toPrecision(3))} N`);
  return rows;
}

function legend() {
  const scale = element("span", { className: "mv-scale" });
  for (const share of [0, 0.25, 0.5, 0.75, 1]) {
    const step = element("span", { className: "mv-step", text: `${100 * share}` });
    step.style.background = `#${loadColor(share).toString(16).padStart(6, "0")}`;
    scale.append(step);
  }
  return element("div", { className: "mv-legend", hidden: true, children: [element("span", { text: "load, % of rating" }), scale, element("span", { text: "grey: not rated" })] });
}

function help() {
  const rows = KEYS.flatMap(([keys, text]) => [element("dt", { text: keys }), element("dd", { text })]);
  return element("div", { className: "mv-help", hidden: true, children: [element("strong", { text: "Keys" }), element("dl", { children: rows })] });
}

export function momentText(moment) {
  return `${moment.time_s.toFixed(2)} s  ${moment.text}`;
}

function seconds(timeS) {
  return `${timeS.toFixed(2)} s`;
}
