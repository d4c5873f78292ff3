"""The viewer shows each of several payloads with its motion and its path."""

import base64
from collections.abc import Sequence

import pytest
from contracts.models.scene import Scene
from playwright.async_api import Browser
from sim_worker.simulator import SimulationSettings, Simulator
from viewer.files import SCRIPT

from tests.sim_worker.run.test_several_payloads import ball, world

pytestmark = pytest.mark.asyncio(loop_scope="module")
OPENED = """async ([scene, npz]) => {
  const element = document.body.appendChild(document.createElement("div"));
  element.style.height = "400px";
  const trajectory = Uint8Array.from(atob(npz), (each) => each.charCodeAt(0));
  window.viewer = await MillwrightViewer.createViewer(element, { scene, trajectory, parts: [], moments: [] });
}"""


def arguments(scene: Scene) -> Sequence[str]:
    """Return a scene and its trajectory as the page gets them."""
    record = Simulator(threads=1).simulate(scene, SimulationSettings(1, seed=0))
    return [scene.model_dump_json(), base64.b64encode(record.trajectory.as_npz()).decode()]


async def test_viewer_moves_and_selects_each_payload(browser: Browser) -> None:
    context = await browser.new_context(viewport={"width": 600, "height": 450})
    page = await context.new_page()
    await page.add_script_tag(path=SCRIPT)
    scene = world(ball("red", -200, 300), ball("blue", 200, 300, start_velocity_mm_s=(0, 300, 0)))
    await page.evaluate(OPENED, arguments(scene))
    assert await page.evaluate("['red', 'blue'].map((label) => viewer.select(label))") == ["red", "blue"]
    assert await page.evaluate("viewer.select('green')") is None
    start = await page.evaluate("(viewer.hide('trail'), viewer.hide('ghosts'), viewer.seek(0), viewer.picture())")
    later = await page.evaluate("(viewer.seek(0.4), viewer.picture())")
    assert start != later
    await context.close()
