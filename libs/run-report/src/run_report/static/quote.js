// The page's own script: the parts of one file at a time in 3D, and findings that lead to their places.
(() => {
  "use strict";
  let open = null;

  const show = async (number) => {
    if (open?.number === number) return open.viewer;
    if (open) {
      open.viewer.dispose();
      open.element.hidden = true;
    }
    open = null;
    const of = (kind) => document.querySelector(`[data-${kind}="${number}"]`);
    const element = of("viewer");
    element.hidden = false;
    const scene = await MillwrightViewer.inflated(of("packed").textContent.trim());
    const { marks } = JSON.parse(of("marks").textContent);
    const viewer = await MillwrightViewer.createViewer(element, { scene, marks });
    open = { number, element, viewer, marks };
    return viewer;
  };

  document.addEventListener("click", async (event) => {
    const opener = event.target.closest("[data-open]");
    if (opener) await show(Number(opener.dataset.open));
    const goer = event.target.closest("[data-go]");
    if (!goer) return;
    const number = Number(goer.closest("[data-file]").dataset.file);
    const viewer = await show(number);
    const mark = open.marks.find((each) => each.number === Number(goer.dataset.go));
    viewer.lookAtMark(mark);
    open.element.scrollIntoView({ block: "nearest" });
  });

  const first = document.querySelector("[data-open]");
  if (first) show(Number(first.dataset.open)).finally(() => (document.body.dataset.ready = "true"));
})();
