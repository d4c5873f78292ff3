// The tree of parts: choose, hide and isolate parts and groups of them, by mouse and by keyboard.
// An item's buttons are for the mouse: keys do the same, and a screen reader reads the item's name alone.

import { element, press } from "./elements.js";

const KINDS = [["design", "Machine"], ["payload", "Payload"], ["environment", "World"]];

export class PartsTree {
  constructor(viewer) {
    this.viewer = viewer;
    this.items = [];
    this.selected = null;
    const all = element("button", { type: "button", className: "mv-button", text: "Show all", title: "Show all parts again (u)", on: { click: () => viewer.showAllParts() } });
    this.list = element("ul", { role: "tree", "aria-label": "Parts: Enter selects, h hides, i shows alone", children: this.roots() });
    this.list.addEventListener("keydown", (event) => this.pressKey(event));
    this.root = element("div", { className: "mv-parts", hidden: true, children: [element("div", { className: "mv-parts-head", children: [element("strong", { text: "Parts" }), all] }), this.list] });
    if (this.items.length) this.focusable(this.items[0]);
  }

  roots() {
    const things = this.viewer.world.things();
    return KINDS.flatMap(([kind, text]) => {
      const labels = things.filter((thing) => thing.kind === kind).map((thing) => thing.label);
      return labels.length ? [this.group(text, labels, 1, () => this.children(labels))] : [];
    });
  }

  /** Parts whose labels begin alike, as `chute-1-floor` and `chute-1-leg`, are a group. */
  children(labels) {
    const groups = new Map();
    for (const label of labels) groups.set(stem(label), [...(groups.get(stem(label)) ?? []), label]);
    return [...groups].flatMap(([name, members]) => {
      const parts = (level) => members.map((label) => this.leaf(label, level));
      return members.length > 1 ? [this.group(name, members, 2, () => parts(3))] : parts(2);
    });
  }

  group(text, labels, level, children) {
    const item = this.item(`${text} (${labels.length})`, labels, level, () => this.open(item, !item.isOpen));
    item.group = element("ul", { role: "group", children: children() });
    item.node.append(item.group);
    this.open(item, level === 1 && text !== "World");
    return item.node;
  }

  leaf(label, level) {
    const item = this.item(label, [label], level, () => this.viewer.select(this.selected === label ? null : label));
    item.label = label;
    return item.node;
  }

  item(text, labels, level, choose) {
    const button = (word, title) => element("button", { type: "button", className: "mv-button", tabindex: "-1", text: word, title, "aria-hidden": "true" });
    const [hide, only] = [button("Hide", `Hide ${text} (h)`), button("Only", `Show ${text} alone (i)`)];
    const name = element("span", { className: "mv-name", text, on: { click: choose } });
    const row = element("div", { className: "mv-row", children: [name, hide, only] });
    const node = element("li", { role: "treeitem", "aria-level": level, tabindex: "-1", children: [row] });
    const item = { node, row, labels, hide, only, choose, isOpen: null };
    hide.addEventListener("click", () => this.hide(item));
    only.addEventListener("click", () => this.isolate(item));
    row.addEventListener("click", () => this.focusable(item));
    this.items.push(item);
    return item;
  }

  open(item, isOpen) {
    item.isOpen = isOpen;
    item.group.hidden = !isOpen;
    item.node.setAttribute("aria-expanded", String(isOpen));
  }

  hide({ labels }) {
    const isHidden = labels.some((label) => this.viewer.isPartShown(label));
    if (this.viewer.isolated) this.viewer.isolate(null);
    this.viewer.hideParts(labels, isHidden);
  }

  isolate({ labels }) {
    this.viewer.isolate(isSame(this.viewer.isolated, labels) ? null : labels);
  }

  pressKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.getAttribute("role") !== "treeitem") return;
    const shown = this.items.filter(({ node }) => !node.parentElement.closest("[hidden]"));
    const item = this.items.find(({ node }) => node === event.target);
    const at = shown.indexOf(item);
    const go = (to) => to && this.focus(to);
    const parent = this.items.find(({ node }) => node === item.node.parentElement.closest("li"));
    const actions = {
      ArrowDown: () => go(shown[at + 1]),
      ArrowUp: () => go(shown[at - 1]),
      Home: () => go(shown[0]),
      End: () => go(shown.at(-1)),
      ArrowRight: () => (item.isOpen === false ? this.open(item, true) : item.isOpen && go(shown[at + 1])),
      ArrowLeft: () => (item.isOpen ? this.open(item, false) : go(parent)),
      Enter: () => item.choose(),
      " ": () => item.choose(),
      h: () => this.hide(item),
      i: () => this.isolate(item),
    };
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    event.stopPropagation();
    action();
  }

  focus(item) {
    this.focusable(item);
    item.node.focus();
  }

  /** Let Tab reach one item alone. */
  focusable(item) {
    for (const each of this.items) each.node.tabIndex = each === item ? 0 : -1;
  }

  /** Show what is selected, hidden and alone; a newly selected part comes into view. */
  update({ part, isolated }) {
    for (const item of this.items) {
      const isHidden = !item.labels.some((label) => this.viewer.isPartShown(label));
      item.row.classList.toggle("mv-hidden", isHidden);
      press(item.hide, isHidden);
      press(item.only, isSame(isolated, item.labels));
      if (item.label) item.node.setAttribute("aria-selected", String(item.label === part));
    }
    if (part === this.selected) return;
    this.selected = part;
    const item = this.items.find(({ label }) => label && label === part);
    if (!item) return;
    for (const each of this.items) if (each.group?.contains(item.node)) this.open(each, true);
    this.focusable(item);
    const { offsetTop: top } = item.node;
    const { scrollTop, clientHeight } = this.list;
    if (top < scrollTop || top + 24 > scrollTop + clientHeight) this.list.scrollTop = top - clientHeight / 2;
  }
}

function stem(label) {
  return /^(.*?-\d+|[^-]+)-/.exec(label)?.[1] ?? label;
}

function isSame(some, others) {
  return some?.length === others.length && others.every((label) => some.includes(label));
}
