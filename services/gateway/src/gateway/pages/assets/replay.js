// The 3D views of a page: one beside a timeline, or two side by side that share time and camera.
const SAVE_MS = 300;
let saving = 0;
const views = await Promise.all([...document.querySelectorAll(".replay")].map(open));
const shown = views.filter((view) => view.viewer);
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
  view.cursor = cursor;
  const stage = root.querySelector(".stage");
  const answer = await fetch(`${root.dataset.run}/simulations/${cursor}`);
  const data = answer.ok ? await answer.json() : {};
  if (view.cursor !== cursor) return;
  const before = view.viewer?.state();
  view.viewer?.dispose();
  view.viewer = await MillwrightViewer.createViewer(stage, data).catch(() => null);
  if (!view.viewer) return;
  root.viewer = view.viewer; // for tests, and for a user's console
  if (before) view.viewer.restore({ camera: before.camera, hidden: before.hidden });
  if (time) view.viewer.seek(time);
  if (part) view.viewer.select(part);
  markLines(view, part);
  view.viewer.onTime(() => save(view));
  view.viewer.onSelect((label) => {
    markLines(view, label);
    save(view);
  });
  root.dataset.ready = cursor;
  save(view);
}

// The address has what is shown, so that it can be passed on.
function save(view) {
  if (!view.root.matches("[data-saved]")) return;
  saving ||= setTimeout(() => {
    saving = 0;
    const { time_s: time, part } = view.viewer.state();
    const address = new URL(location.href);
    address.searchParams.set("simulation", view.cursor);
    address.searchParams.set("time", time.toFixed(3));
    if (part) address.searchParams.set("part", part);
    else address.searchParams.delete("part");
    history.replaceState(null, "", address);
  }, SAVE_MS);
}

// Events, parts and moments of the page lead to the view.
const main = views[0];

document.body.addEventListener("event-selected", ({ detail }) => {
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
