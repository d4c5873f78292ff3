// The viewer: scene, replay, tools and controls together, behind the methods that a page calls.

import { Vector3 } from "three";
import { Controls, momentText } from "./controls.js";
import { element } from "./elements.js";
import { Findings } from "./findings.js";
import { pressKey } from "./keyboard.js";
import { Measure, Picker, sectionPlane } from "./tools.js";
import { Replay } from "./replay.js";
import { Stage } from "./stage.js";
import { World } from "./world.js";

const CLICK_PX = 5;
const HIDDEN_AT_FIRST = ["loads"];

export class Viewer {
  constructor(root, scene, arrays, data) {
    this.data = { parts: [], moments: [], findings: [], marks: [], theme: "auto", ...data };
    this.listeners = { select: [], time: [], state: [] };
    this.replay = new Replay(arrays);
    this.world = new World(scene, this.replay, this.data.parts, this.data.marks);
    this.hidden = new Set(HIDDEN_AT_FIRST);
    this.hiddenParts = new Set();
    this.isolated = null;
    this.timeS = this.replay.startS;
    this.isPlaying = false;
    this.isMeasuring = false;
    this.cut = null;
    this.root = root;
    root.classList.add("mv");
    this.findings = new Findings(this, this.data.findings);
    this.controls = new Controls(root, this, this.data);
    this.stage = new Stage(this.controls.canvas, this.world, () => this.placeOverlays());
    this.controls.addBars(root, this.replay);
    this.picker = new Picker(this.stage, this.world);
    this.ruler = new Measure(this.stage);
    this.listen();
    this.setTheme(this.data.theme);
    this.resize();
    this.stage.look();
    this.refresh();
  }

  listen() {
    this.root.tabIndex = this.root.tabIndex < 0 ? 0 : this.root.tabIndex;
    this.root.addEventListener("keydown", (event) => pressKey(event, this) && event.preventDefault());
    const canvas = this.controls.canvas;
    let from = null;
    canvas.addEventListener("pointerdown", (event) => (from = [event.clientX, event.clientY]));
    canvas.addEventListener("pointerup", (event) => {
      const moved = from && Math.hypot(event.clientX - from[0], event.clientY - from[1]);
      if (from && moved < CLICK_PX) this.click(event);
      from = null;
    });
    this.stage.controls.addEventListener("change", () => this.tellState());
    this.watcher = new ResizeObserver(() => this.resize());
    this.watcher.observe(this.controls.stage);
    this.scheme = window.matchMedia("(prefers-color-scheme: dark)");
    this.onScheme = () => this.setTheme(this.data.theme);
    this.scheme.addEventListener("change", this.onScheme);
  }

  click(event) {
    const box = this.controls.canvas.getBoundingClientRect();
    const hit = this.picker.at(event.clientX - box.left, event.clientY - box.top);
    if (!this.isMeasuring) this.select(hit?.label ?? null);
    else if (hit) this.ruler.add(hit.corner);
    this.root.focus({ preventScroll: true });
  }

  // Time

  seek(timeS) {
    this.timeS = Math.min(this.replay.endS, Math.max(this.replay.startS, timeS));
    this.refresh();
    for (const listener of this.listeners.time) listener(this.timeS);
  }

  step(seconds) {
    this.pause();
    this.seek(this.timeS + seconds);
  }

  toggle() {
    if (this.isPlaying) this.pause();
    else this.play();
  }

  play() {
    if (!this.replay.hasMotion) return;
    if (this.timeS >= this.replay.endS) this.timeS = this.replay.startS;
    this.isPlaying = true;
    let last = performance.now();
    const tick = (now) => {
      if (!this.isPlaying) return;
      this.seek(this.timeS + Math.max(0, now - last) / 1000);
      last = now;
      if (this.timeS >= this.replay.endS) this.pause();
      else requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  }

  pause() {
    this.isPlaying = false;
    this.refresh();
  }

  /** Go to a moment, and select the part that it is about. */
  moment(moment) {
    this.pause();
    this.seek(moment.time_s);
    if (moment.part) this.select(moment.part);
  }

  nextMoment(direction) {
    const later = this.data.moments.filter(({ time_s: at }) => (at - this.timeS) * direction > 1e-3);
    const next = direction > 0 ? later[0] : later.at(-1);
    if (next) this.moment(next);
  }

  // Parts

  select(label) {
    const chosen = this.world.select(label);
    this.refresh();
    for (const listener of this.listeners.select) listener(chosen);
    return chosen;
  }

  nextPart(direction) {
    const labels = [...this.world.bodies.values()].filter((thing) => thing.kind === "design").map((thing) => thing.label);
    if (!labels.length) return;
    const at = labels.indexOf(this.world.selected);
    this.select(labels[(at < 0 && direction < 0 ? 0 : at + direction + labels.length) % labels.length]);
  }

  // Findings

  /** Go to a finding, by its place in `data.findings`: frame it, at its time, and select its part; null leaves it. */
  finding(index) {
    const found = this.data.findings[index];
    this.pause();
    this.findings.choose(found ? index : null);
    if (found && typeof found.time_s === "number") this.seek(found.time_s);
    if (found) this.select(found.part ?? null);
    if (found?.place_mm) this.stage.lookAround(new Vector3(...found.place_mm));
    this.refresh();
  }

  nextFinding(direction) {
    const { length } = this.data.findings;
    const { chosen } = this.findings;
    if (length) this.finding(((chosen ?? (direction > 0 ? -1 : 0)) + direction + length) % length);
  }

  showFindings(isOn) {
    this.findings.show(isOn);
    this.refresh();
  }

  // View

  /** Move the parts of the machine apart, and the camera so far back that all stay in the picture. */
  explode(share) {
    const before = this.world.exploded;
    if (before === 0) this.assembled = this.cameraState();
    this.world.explode(Math.min(1, Math.max(0, share)));
    if (this.stage.framing?.view) this.stage.fit();
    else if (this.world.exploded > 0) this.stage.contain(() => this.world.focusPoints());
    else if (before > 0 && this.stage.framing) this.restore(this.assembled);
    this.refresh();
  }

  /** Cut at `{axis, at_mm, is_flipped}`; without a place in the middle; null shows everything. */
  section(plane) {
    this.cut = plane?.axis ? this.withRange(plane) : null;
    this.world.cut(this.cut ? [sectionPlane(this.cut.axis, this.cut.at_mm, this.cut.is_flipped)] : []);
    this.refresh();
  }

  withRange({ axis, at_mm: at, is_flipped: isFlipped = axis === "y" }) {
    const { min, max } = this.world.focus();
    const [low, high] = [min[axis], max[axis]];
    return { axis, at_mm: at ?? (low + high) / 2, is_flipped: isFlipped, low, high };
  }

  nextSection() {
    const axes = [null, "x", "y", "z"];
    const next = axes[(axes.indexOf(this.cut?.axis ?? null) + 1) % axes.length];
    this.section(next && { axis: next });
  }

  measure(isOn = true) {
    this.isMeasuring = isOn;
    if (!isOn) this.ruler.clear();
    this.refresh();
  }

  /** Return the last measurement in millimetres; null before two points are chosen. */
  measured() {
    return this.ruler.result();
  }

  /** Show `zones`, `environment`, `design`, `payload`, `trail`, `ghosts`, `contacts`, `edges` or `loads`. */
  show(kind) {
    this.hidden.delete(kind);
    this.refresh();
  }

  hide(kind) {
    this.hidden.add(kind);
    this.refresh();
  }

  isShown(kind) {
    return !this.hidden.has(kind);
  }

  /** Hide parts, or show them again. */
  hideParts(labels, isHidden = true) {
    for (const label of labels) {
      if (isHidden) this.hiddenParts.add(label);
      else this.hiddenParts.delete(label);
    }
    this.refresh();
  }

  hideSelected() {
    const { selected } = this.world;
    if (selected) this.hideParts([selected], !this.hiddenParts.has(selected));
  }

  isolateSelected() {
    this.isolate(this.isolated || !this.world.selected ? null : [this.world.selected]);
  }

  /** Show these parts alone; null shows all that are not hidden. */
  isolate(labels) {
    this.isolated = labels?.length ? [...labels] : null;
    this.refresh();
  }

  isPartShown(label) {
    return this.isolated ? this.isolated.includes(label) : !this.hiddenParts.has(label);
  }

  showAllParts() {
    this.hiddenParts.clear();
    this.isolate(null);
  }

  look(view) {
    this.stage.look(view);
    this.refresh();
  }

  fit() {
    const thing = this.world.selected && this.world.thing(this.world.selected);
    if (thing) this.stage.lookAt(thing.frame);
    else this.stage.look();
    this.refresh();
  }

  /** Look at one of `data.marks` from the side where it is. */
  lookAtMark({ part, place_mm: place }) {
    const thing = this.world.thing(part);
    if (thing) this.stage.lookAtPlace(thing.frame, new Vector3(...place));
    this.refresh();
  }

  orbit(around, upwards, factor) {
    this.stage.orbit(around, upwards, factor);
  }

  clear() {
    this.controls.showHelp(false);
    this.measure(false);
    this.findings.choose(null);
    this.select(null);
  }

  toggleTree() {
    this.controls.showTree(this.controls.tree.root.hidden);
  }

  toggleHelp() {
    this.controls.showHelp(this.controls.help.hidden);
  }

  setTheme(theme) {
    this.data.theme = theme;
    const name = theme === "auto" ? (this.scheme?.matches ? "dark" : "light") : theme;
    this.root.dataset.theme = name;
    this.stage.theme(name);
  }

  // State

  /** Return what a deep link must restore. */
  state() {
    return {
      time_s: this.timeS,
      part: this.world.selected,
      exploded: this.world.exploded,
      section: this.cut,
      hidden: [...this.hidden],
      hidden_parts: [...this.hiddenParts],
      isolated: this.isolated,
      finding: this.findings.chosen,
      isPlaying: this.isPlaying,
      isMeasuring: this.isMeasuring,
      ...this.cameraState(),
    };
  }

  /** Return a text that differs between views, but neither with the time nor with the size of the picture. */
  viewKey() {
    const { time_s: _, isPlaying: _1, isMeasuring: _2, camera, ...others } = this.state();
    const { framing } = this.stage;
    const from = framing ? framing.view ?? framing.away.toArray() : camera;
    return JSON.stringify([others, typeof from === "string" ? from : from.map((each) => Number(each.toFixed(2)))]);
  }

  /** A named view frames what is shown; else the camera is where somebody moved it. */
  cameraState() {
    const { camera, controls, framing } = this.stage;
    return { view: framing?.view ?? null, camera: [...camera.position.toArray(), ...controls.target.toArray()] };
  }

  /** Restore a state; what it lacks stays as it is. */
  restore({ time_s: timeS, part, exploded, section, hidden, hidden_parts: hiddenParts, isolated, finding, view, camera } = {}) {
    if (hidden) this.hidden = new Set(hidden);
    if (hiddenParts) this.hiddenParts = new Set(hiddenParts);
    if (isolated !== undefined) this.isolate(isolated);
    if (section !== undefined) this.section(section);
    if (exploded !== undefined) this.explode(exploded);
    if (timeS !== undefined) this.seek(timeS);
    if (part !== undefined) this.select(part);
    if (finding !== undefined) this.findings.choose(finding);
    if (view) this.look(view);
    else if (camera?.length === 6) this.setCamera(camera);
  }

  setCamera(camera) {
    this.stage.framing = null;
    this.stage.camera.position.fromArray(camera);
    this.stage.controls.target.fromArray(camera, 3);
    this.stage.controls.update();
    this.stage.request();
  }

  on(name, listener) {
    this.listeners[name].push(listener);
  }

  onSelect(listener) {
    this.on("select", listener);
  }

  onTime(listener) {
    this.on("time", listener);
  }

  onState(listener) {
    this.on("state", listener);
  }

  refresh() {
    const { groups, edges } = this.world;
    for (const [name, group] of Object.entries(groups)) group.visible = this.isShown(name);
    for (const lines of edges) lines.visible = this.isShown("edges");
    if (this.isolated) for (const name of ["zones", "trail", "ghosts", "contacts"]) groups[name].visible = false;
    this.world.filter((label) => this.isPartShown(label));
    this.world.colorLoads(this.isShown("loads"));
    this.world.apply(this.timeS);
    const selected = this.world.selected;
    const forces = this.world.arrows.forcesAt(this.replay.place(this.timeS).sample);
    const force = forces.find(({ label }) => label === selected)?.newtons ?? null;
    this.controls.showPart(selected, this.cardOf(selected), force);
    this.findings.markPart(selected);
    const state = this.state();
    this.controls.update(state);
    this.stage.refresh();
    this.tellState(state);
  }

  tellState(state = this.state()) {
    for (const listener of this.listeners.state) listener(state);
  }

  cardOf(label) {
    const thing = label && this.world.thing(label);
    const kinds = { environment: "part of the world", payload: "payload", design: undefined };
    return thing && { kind: kinds[thing.kind], ...this.world.parts.get(label) };
  }

  placeOverlays() {
    this.findings.place(this.stage, this.world.exploded > 0);
    const result = this.ruler.result();
    const pixel = result && this.stage.pixel(result.middle);
    const text = result && `${result.distance_mm.toFixed(1)} mm (x ${result.dx_mm.toFixed(1)}, y ${result.dy_mm.toFixed(1)}, z ${result.dz_mm.toFixed(1)})`;
    this.controls.showLabel(pixel, text ?? "");
  }

  resize() {
    const { clientWidth, clientHeight } = this.controls.stage;
    this.stage.resize(clientWidth, clientHeight);
  }

  /** Return the present picture as a PNG data URL. */
  picture() {
    this.stage.draw();
    return this.controls.canvas.toDataURL("image/png");
  }

  dispose() {
    this.pause();
    this.watcher.disconnect();
    this.scheme.removeEventListener("change", this.onScheme);
    this.stage.dispose();
    this.root.replaceChildren();
  }
}

/** Show in place of the viewer why there is none. */
export function showFailure(root, text) {
  root.classList.add("mv");
  root.replaceChildren(element("p", { className: "mv-failure", role: "alert", text }));
}

export { momentText };
