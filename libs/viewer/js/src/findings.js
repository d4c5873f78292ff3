// Findings: a numbered marker at the place of each, and a list beside the view. What is chosen in one is in the other.

import { Vector3 } from "three";
import { element } from "./elements.js";

const APART_PX = 24;

export class Findings {
  constructor(viewer, findings) {
    this.viewer = viewer;
    this.chosen = null;
    this.entries = findings.map((finding, index) => this.entry(finding, index));
    this.placed = this.entries.filter(({ marker }) => marker);
    this.list = element("ol", { className: "mv-list", children: this.entries.map(({ item }) => item) });
    const head = element("strong", { text: findings.length === 1 ? "1 finding" : `${findings.length} findings` });
    this.root = element("section", { className: "mv-findings", "aria-label": "Findings", hidden: !findings.length, children: [head, this.list] });
    this.layer = element("div", { className: "mv-markers", hidden: !findings.length, children: this.placed.map(({ marker }) => marker) });
  }

  entry(finding, index) {
    const { title, text, severity, place_mm: place } = finding;
    const choose = () => this.viewer.finding(index);
    const number = element("span", { className: `mv-number mv-${severity}${place ? "" : " mv-nowhere"}`, text: index + 1 });
    const words = element("span", { children: [element("b", { text: title }), element("span", { text: ` ${text}` })] });
    const button = element("button", { type: "button", className: "mv-finding", children: [number, words], on: { click: choose } });
    const item = element("li", { children: [button] });
    if (!place) return { finding, item, button };
    const name = `Finding ${index + 1}: ${title}`;
    const marker = element("button", { type: "button", className: `mv-marker mv-${severity}`, text: index + 1, title: name, "aria-label": name, tabindex: "-1", on: { click: choose } });
    return { finding, item, button, marker, point: new Vector3(...place) };
  }

  show(isOn) {
    this.root.hidden = this.layer.hidden = !isOn;
  }

  /** Mark a finding, and the others about the selected part; null marks none. */
  choose(index) {
    this.chosen = this.entries[index] ? index : null;
    this.entries.forEach(({ button, marker }, number) => {
      const isChosen = number === this.chosen;
      button.setAttribute("aria-pressed", String(isChosen));
      marker?.classList.toggle("mv-chosen", isChosen);
    });
    const item = this.entries[this.chosen]?.item;
    if (!item) return;
    const { scrollTop, clientHeight } = this.list;
    if (item.offsetTop < scrollTop || item.offsetTop + item.clientHeight > scrollTop + clientHeight) this.list.scrollTop = item.offsetTop;
  }

  markPart(label) {
    for (const { finding, button } of this.entries) button.classList.toggle("mv-of-part", Boolean(label) && finding.part === label);
  }

  /** Put the markers where their places are in the picture, beside each other where they would be on each other. */
  place(stage, isExploded) {
    if (this.layer.hidden) return;
    const { clientWidth, clientHeight } = stage.renderer.domElement;
    const taken = [];
    for (const { marker, point } of this.placed) {
      const pixel = isExploded ? null : stage.pixel(point);
      marker.hidden = !pixel || pixel.x < 0 || pixel.y < 0 || pixel.x > clientWidth || pixel.y > clientHeight;
      if (marker.hidden) continue;
      while (taken.some(({ x, y }) => Math.hypot(x - pixel.x, y - pixel.y) < APART_PX)) pixel.x += APART_PX;
      taken.push(pixel);
      marker.style.transform = `translate(${Math.round(pixel.x)}px, ${Math.round(pixel.y)}px) translate(-50%, -50%)`;
    }
  }
}
