// Keys of the viewer; they work while the focus is inside it.

import { VIEWS } from "./stage.js";

const TURN = Math.PI / 18;
const TOGGLED = { z: "zones", t: "trail", g: "ghosts", c: "contacts", l: "loads" };

/** Do what a key stands for; return whether it stands for anything. */
export function pressKey(event, viewer) {
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  const isInput = ["INPUT", "SELECT"].includes(event.target.tagName);
  if (isInput && (event.key.startsWith("Arrow") || event.target.tagName === "SELECT")) return false;
  if ([" ", "Enter"].includes(event.key) && event.target.tagName === "BUTTON") return false;
  const action = actions(event, viewer)[event.key] ?? named(event.key, viewer);
  if (!action) return false;
  action();
  return true;
}

function actions(event, viewer) {
  const step = event.shiftKey ? 0.5 : 1 / 30;
  return {
    " ": () => viewer.toggle(),
    ArrowLeft: () => viewer.step(-step),
    ArrowRight: () => viewer.step(step),
    Home: () => viewer.seek(-Infinity),
    End: () => viewer.seek(Infinity),
    "[": () => viewer.nextMoment(-1),
    "]": () => viewer.nextMoment(1),
    n: () => viewer.nextPart(1),
    p: () => viewer.nextPart(-1),
    v: () => viewer.nextFinding(1),
    V: () => viewer.nextFinding(-1),
    o: () => viewer.toggleTree(),
    h: () => viewer.hideSelected(),
    i: () => viewer.isolateSelected(),
    u: () => viewer.showAllParts(),
    w: () => viewer.orbit(0, TURN),
    s: () => viewer.orbit(0, -TURN),
    a: () => viewer.orbit(-TURN, 0),
    d: () => viewer.orbit(TURN, 0),
    "+": () => viewer.orbit(0, 0, 0.85),
    "=": () => viewer.orbit(0, 0, 0.85),
    "-": () => viewer.orbit(0, 0, 1.18),
    f: () => viewer.fit(),
    e: () => viewer.explode(viewer.state().exploded > 0 ? 0 : 1),
    x: () => viewer.nextSection(),
    m: () => viewer.measure(!viewer.state().isMeasuring),
    "?": () => viewer.toggleHelp(),
    Escape: () => viewer.clear(),
  };
}

function named(key, viewer) {
  const view = Object.keys(VIEWS)[Number(key)];
  if (view) return () => viewer.look(view);
  const kind = TOGGLED[key];
  return kind && (() => (viewer.isShown(kind) ? viewer.hide(kind) : viewer.show(kind)));
}
