// The 3D views of a page: one beside a timeline, or two side by side that share time and camera.
let isBusy = true;
let views = [];
const timeline = document.getElementById("timeline");

// The address has what is shown, so that it can be passed on; Back returns to former views of this page.
const past = new MillwrightViewer.ViewHistory({
  read: () => {
    if (isBusy || views.some(({ isLoading }) => isLoading)) return null;
    const seen = views.map(({ viewer, cursor }) => viewer && { cursor, key: viewer.viewKey(), state: viewer.state() });
    const event = timeline?.dataset.selected ?? "";
    return { key: JSON.stringify([event, seen.map((each) => each && [each.cursor, each.key])]), event, seen };
  },
  address: ({ event, seen }) => {
    const address = new URL(location.href);
    if (event) address.searchParams.set("event", event);
    else address.searchParams.delete("event");
    if (!views[0]?.root.matches("[data-saved]") || !seen[0]) return address;
    const { cursor, state } = seen[0];
    address.searchParams.set("simulation", cursor);
    address.searchParams.set("time", state.time_s.toFixed(3));
    if (state.part) address.searchParams.set("part", state.part);
    else address.searchParams.delete("part");
    return address;
  },
  restore: async ({ event, seen }) => {
    document.body.dispatchEvent(new CustomEvent("event-restored", { detail: event }));
    for (const [number, each] of seen.entries()) {
      if (!each || !views[number]) continue;
      if (views[number].cursor !== each.cursor) await show(views[number], each.cursor);
      views[number].viewer?.restore(each.state);
    }
  },
});
views = await Promise.all([...document.querySelectorAll(".replay")].map(open));
const shown = views.filter((view) => view.viewer);
isBusy = false;
past.save();
if (shown.length === 2) MillwrightViewer.link(shown[0].viewer, shown[1].viewer);

async function open(root) {
  const view = { root, viewer: null, cursor: "" };
  root.addEventListener("change", (event) => event.target.matches(".simulation") && show(view, event.target.value));
  const select = root.querySelector(".simulation");
  if (select) await show(view, root.dataset.simulation || select.value, Number(root.dataset.time), root.dataset.part);
  return view;
}

async function show(view, cursor, time = null, part = "") {
  const { root } = view;
  const select = root.querySelector(".simulation");
  select.value = cursor;
  Object.assign(view, { cursor, isLoading: true });
  const stage = root.querySelector(".stage");
  const answer = await fetch(`${root.dataset.run}/simulations/${cursor}`);
  const data = answer.ok ? await answer.json() : {};
  if (view.cursor !== cursor) return;
  const before = view.viewer?.state();
  view.viewer?.dispose();
  view.viewer = await MillwrightViewer.createViewer(stage, data).catch(() => null);
  view.isLoading = false;
  if (!view.viewer) return;
  root.viewer = view.viewer; // for tests, and for a user's console
  if (before) view.viewer.restore({ view: before.view, camera: before.camera, hidden: before.hidden });
  if (time) view.viewer.seek(time);
  if (part) view.viewer.select(part);
  markLines(view, part);
  view.viewer.onState(() => past.touch());
  view.viewer.onSelect((label) => markLines(view, label));
  root.dataset.ready = cursor;
  past.touch();
}

// Events, parts and moments of the page lead to the view.
const main = views[0];

document.body.addEventListener("event-selected", ({ detail }) => {
  past.touch();
  const select = main?.root.querySelector(".simulation");
  if (select && main.cursor !== detail && [...select.options].some((each) => each.value === detail)) show(main, detail);
});

document.body.addEventListener("click", (event) => {
  const { part, time } = event.target.closest("[data-part], [data-time]")?.dataset ?? {};
  const view = views.find(({ root }) => root.parentElement.contains(event.target)) ?? main;
  if (!view?.viewer || (part === undefined && time === undefined)) return;
  view.viewer.pause();
  if (time !== undefined) view.viewer.seek(Number(time));
  if (part) view.viewer.select(part);
});

// Lines of code that name a part lead to it, and the part to them.
function markLines(view, label) {
  const parts = new Set((view.viewer?.data.parts ?? []).map((each) => each.label));
  for (const line of document.querySelectorAll(".event .line")) {
    const named = (line.textContent.match(/["']([^"'\n]+)["']/g) ?? []).map((text) => text.slice(1, -1));
    const part = named.find((each) => parts.has(each));
    if (part) line.dataset.part = part;
    line.classList.toggle("of-part", Boolean(part));
    line.classList.toggle("of-selected", Boolean(part) && part === label);
  }
}

document.body.addEventListener("htmx:after:swap", () => main && markLines(main, main.viewer?.state().part));

// A simulation that ended while the page is open.
document.body.addEventListener("simulations-changed", async () => {
  if (!main) return;
  const answer = await fetch(`${main.root.dataset.run}/simulations`);
  if (!answer.ok) return;
  main.root.querySelector(".simulations").outerHTML = await answer.text();
  const select = main.root.querySelector(".simulation");
  if (!select) return;
  if (main.viewer) select.value = main.cursor;
  else show(main, select.value);
});
