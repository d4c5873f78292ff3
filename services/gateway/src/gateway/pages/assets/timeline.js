// The timeline of a run: parts of it are in the page while they are near the visible ones; new rows come by themselves.
const timeline = document.getElementById("timeline");
const live = document.getElementById("live");
const CHUNK = 100;
const RETRY_MS = 1000;
const query = (values) => {
  const all = new URLSearchParams(values);
  new URLSearchParams(location.search).getAll("show").forEach((group) => all.append("show", group));
  return all;
};

const resize = (chunk) => chunk.style.setProperty("--count", chunk.dataset.count);

async function load(chunk) {
  if ("loaded" in chunk.dataset) return;
  chunk.dataset.loaded = "";
  const response = await fetch(`${timeline.dataset.run}/rows?${query({ after: chunk.dataset.after })}`).catch(() => null);
  const isWhole = response?.ok && fill(chunk, await response.text());
  if (isWhole) return;
  delete chunk.dataset.loaded; // the recorder is a moment behind, or the server is away
  setTimeout(() => chunk.dataset.near && load(chunk), RETRY_MS);
}

function fill(chunk, rows) {
  if (!("loaded" in chunk.dataset)) return true; // it was removed meanwhile
  chunk.innerHTML = rows;
  mark();
  return chunk.children.length >= Number(chunk.dataset.count) || chunk === timeline.lastElementChild;
}

const near = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) {
    if (isIntersecting) target.dataset.near = "1";
    else delete target.dataset.near;
    if (isIntersecting) load(target);
    else if (target !== timeline.lastElementChild && !target.contains(document.activeElement)) unload(target);
  }
}, { root: timeline, rootMargin: "2400px 0px" });

function unload(chunk) {
  delete chunk.dataset.loaded;
  chunk.replaceChildren();
}

// New rows.
let last = timeline.dataset.last;
let source = null;
let counted = 0;

function follow() {
  source = new EventSource(`${timeline.dataset.run}/live?${query({ after: last })}`);
  source.addEventListener("open", () => (live.textContent = "live"));
  source.addEventListener("row", (event) => {
    append(event.data);
    last = event.lastEventId || last;
  });
  source.addEventListener("end", () => {
    stop();
    live.textContent = "ended";
    change();
  });
  source.addEventListener("error", () => { // the server is away: ask again from the last row on
    if (source === null) return;
    stop();
    live.textContent = "connecting again …";
    setTimeout(() => source ?? follow(), RETRY_MS);
  });
}

function stop() {
  source?.close();
  source = null;
}

function append(row) {
  const isAtEnd = timeline.scrollHeight - timeline.scrollTop - timeline.clientHeight < 80;
  const chunk = lastChunk();
  chunk.dataset.count = Number(chunk.dataset.count) + 1;
  resize(chunk);
  chunk.insertAdjacentHTML("beforeend", row);
  if (!marked?.isConnected) mark();
  if (isAtEnd) timeline.scrollTop = timeline.scrollHeight;
  counted += 1;
  live.textContent = `live, ${counted} new`;
  change();
}

function lastChunk() {
  const chunk = timeline.lastElementChild;
  if (Number(chunk.dataset.count) < CHUNK) return chunk;
  const next = document.createElement("ol");
  next.className = "chunk";
  next.start = Number(chunk.start) + CHUNK;
  Object.assign(next.dataset, { after: last, count: 0, loaded: "" });
  timeline.append(next);
  near.observe(next);
  return next;
}

let changing = 0;
function change() {
  changing ||= setTimeout(() => {
    changing = 0;
    document.body.dispatchEvent(new CustomEvent("run-changed"));
    document.body.dispatchEvent(new CustomEvent("simulations-changed"));
  }, RETRY_MS);
}

// Selection, by mouse and keyboard; replay.js keeps it in address and history.
const rows = () => [...timeline.querySelectorAll("a.row")];

let marked = null; // the row that Tab reaches: the selected one, else the first in the page
function mark() {
  const { selected } = timeline.dataset;
  const found = selected && timeline.querySelector(`a.row[data-cursor="${CSS.escape(selected)}"]`);
  const row = found || (marked?.isConnected && !selected ? marked : timeline.querySelector("a.row"));
  if (row !== marked) marked?.setAttribute("tabindex", "-1");
  marked?.classList.remove("selected");
  marked?.removeAttribute("aria-current");
  marked = row;
  row?.setAttribute("tabindex", "0");
  if (!found) return;
  row.classList.add("selected");
  row.setAttribute("aria-current", "true");
}

function select(row) {
  timeline.dataset.selected = row.dataset.cursor;
  mark();
  show(row.dataset.cursor);
  document.body.dispatchEvent(new CustomEvent("event-selected", { detail: row.dataset.cursor }));
}

document.body.addEventListener("event-restored", ({ detail }) => {
  if (detail === timeline.dataset.selected) return;
  timeline.dataset.selected = detail;
  mark();
  if (detail) show(detail);
  if (detail && marked?.dataset.cursor === detail) marked.scrollIntoView({ block: "nearest" });
});

let shown = 0;
function show(cursor) {
  clearTimeout(shown);
  shown = setTimeout(() => htmx.ajax("GET", `${timeline.dataset.run}/events/${cursor}`, "#event"), 60);
}

timeline.addEventListener("click", (event) => {
  const row = event.target.closest("a.row");
  if (!row || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  select(row);
});

const STEPS = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1, PageDown: 10, PageUp: -10, Home: -Infinity, End: Infinity };
timeline.addEventListener("keydown", (event) => {
  const step = STEPS[event.key];
  if (!step || event.altKey || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  const all = rows();
  const from = all.indexOf(document.activeElement.closest("a.row"));
  const row = all[Math.max(0, Math.min(all.length - 1, from + step))];
  row?.focus();
  if (row) select(row);
});

for (const chunk of timeline.children) {
  resize(chunk);
  near.observe(chunk);
}
mark();
const selected = timeline.querySelector(".selected");
if (selected) timeline.scrollTop += selected.getBoundingClientRect().top - timeline.getBoundingClientRect().top - timeline.clientHeight / 2;
else if (timeline.dataset.open === "true") timeline.scrollTop = timeline.scrollHeight;
if (timeline.dataset.open === "true") {
  follow();
  document.addEventListener("visibilitychange", () => { // a browser has few connections to one server
    if (live.textContent === "ended") return;
    if (document.hidden) stop();
    else source ?? follow();
  });
}
