// The report's own script: replays in the viewer, and parts, lines of code and moments that lead to each other.
(() => {
  "use strict";
  document.addEventListener("change", ({ target }) => target.id === "details" && document.body.classList.toggle("every", target.checked));

  const groups = JSON.parse(document.getElementById("replays").textContent);
  if (!groups.flat().length) {
    document.body.dataset.ready = "yes"; // nothing to show in 3D, and no viewer in the file
    return;
  }
  const shown = groups.map(() => null);
  let isBusy = true;

  const packed = async (name) => {
    const text = [...document.querySelectorAll("script[data-packed]")].find((each) => each.dataset.packed === name);
    return MillwrightViewer.inflated(text.textContent.trim());
  };

  const open = async (number, id) => {
    const replay = groups[number].find((each) => each.id === id);
    const element = document.querySelector(`[data-viewer="${number}"]`);
    if (!replay || !element) return null;
    const before = shown[number];
    if (before) before.dispose();
    const scene = await packed(replay.scene);
    const trajectory = replay.trajectory && (await packed(replay.trajectory));
    const { parts, moments, findings } = replay;
    isBusy = true;
    const viewer = await MillwrightViewer.createViewer(element, { scene, trajectory, parts, moments, findings });
    isBusy = !document.body.dataset.ready;
    shown[number] = viewer;
    viewer.simulation = id;
    viewer.onState(() => past.touch());
    viewer.onSelect((label) => mark(number, label));
    const choice = document.querySelector(`[data-choice="${number}"]`);
    choice.value = id;
    past.touch();
    return viewer;
  };

  const scope = (number) => document.querySelectorAll(".pair > article")[number] ?? document;

  // Mark the lines and rows of a part; the first marked line comes into view.
  const mark = (number, label) => {
    const area = scope(number);
    for (const row of area.querySelectorAll("tr[data-part]")) row.classList.toggle("chosen", row.dataset.part === label);
    let first = null;
    for (const line of area.querySelectorAll(".line[data-parts]")) {
      const isChosen = line.dataset.parts.split(" ").includes(label);
      line.classList.toggle("chosen", isChosen);
      if (isChosen) first ??= line;
    }
    const box = first?.closest("pre");
    if (box && box.scrollHeight > box.clientHeight) box.scrollTop = first.offsetTop - box.offsetTop - box.clientHeight / 3;
  };

  const numberOf = (element) => {
    const articles = [...document.querySelectorAll(".pair > article")];
    return Math.max(0, articles.findIndex((article) => article.contains(element)));
  };

  document.addEventListener("click", async (event) => {
    const number = numberOf(event.target);
    const viewer = shown[number];
    const line = event.target.closest(".line[data-parts]");
    const button = event.target.closest("[data-select], [data-replay]");
    if (button?.dataset.replay) {
      await open(number, button.dataset.replay);
      document.querySelector(`[data-viewer="${number}"]`).scrollIntoView({ block: "nearest" });
    } else if (viewer && (button || line)) {
      const labels = button ? [button.dataset.select] : line.dataset.parts.split(" ");
      const next = labels[(labels.indexOf(viewer.state().part) + 1) % labels.length];
      viewer.select(next);
    }
  });

  document.addEventListener("change", (event) => {
    const { choice } = event.target.dataset;
    if (choice !== undefined) open(Number(choice), event.target.value);
  });

  // The address names simulation, time and part, so that a link to the file restores them; Back returns to former views.
  const past = new MillwrightViewer.ViewHistory({
    read: () => {
      if (isBusy) return null;
      const views = shown.map((viewer) => viewer && { simulation: viewer.simulation, key: viewer.viewKey(), state: viewer.state() });
      return { key: JSON.stringify(views.map((view) => view && [view.simulation, view.key])), views };
    },
    address: ({ views }) => {
      if (views.length !== 1 || !views[0]) return undefined;
      const { simulation, state } = views[0];
      const address = new URLSearchParams({ simulation, t: state.time_s.toFixed(3) });
      if (state.part) address.set("part", state.part);
      return `#${address}`;
    },
    restore: async ({ views }) => {
      for (const [number, view] of views.entries()) {
        if (!view) continue;
        if (shown[number]?.simulation !== view.simulation) await open(number, view.simulation);
        shown[number]?.restore(view.state);
      }
    },
  });

  const start = async () => {
    const state = new URLSearchParams(location.hash.slice(1));
    await Promise.all(
      groups.map((replays, number) => {
        const wanted = replays.find((each) => each.id === state.get("simulation")) ?? replays[0];
        return wanted ? open(number, wanted.id) : null;
      }),
    );
    if (state.has("t")) shown[0]?.seek(Number(state.get("t")) || 0);
    if (state.has("part")) shown[0]?.select(state.get("part"));
    if (shown[0] && shown[1]) MillwrightViewer.link(shown[0], shown[1]);
    document.body.dataset.ready = "yes";
    isBusy = false;
    past.save();
    window.millwright = { viewers: shown };
  };
  start().catch((error) => {
    document.body.dataset.ready = "failed";
    throw error;
  });
})();
