"""The viewer's first view of each benchmark of the suite has payload, way, goal and machine in it, behind no wall."""

import base64
from collections.abc import AsyncIterator
from dataclasses import dataclass
from io import BytesIO
from itertools import product

import numpy as np
import pytest
import pytest_asyncio
from benchmarks.loader import FILE, SUITE, LoadedBenchmark, built_in, load
from cad_worker.scene.scene import make_scene
from contracts.models.benchmark import Assignment
from contracts.models.scene import BoxGeom, Scene
from design_rules.design_data import DesignData, DesignRequest
from design_rules.design_validation import validate
from numpy.typing import NDArray
from playwright.async_api import Browser, Page
from sim_worker.display_meshes import extreme_points_m
from sim_worker.simulator import SimulationSettings, Simulator
from viewer.files import SCRIPT, STYLE

from tests.judged_designs.test_witnesses import drawn_level
from tests.suite.worlds import witness
from tests.support.benchmark_solver import Bench, bench
from tests.support.environment_build import build_from_script

pytestmark = pytest.mark.asyncio(loop_scope="module")

Points = NDArray[np.float64]
FAMILIES = sorted(path.parent.name for path in SUITE.glob(f"*/{FILE}"))
SIZES = ((400, 700), (400, 420), (1280, 720), (1900, 620))
"""Of the viewer, in pixels; its bars take some of the height."""
OPEN = """async ([scene, npz]) => {
    window.requestAnimationFrame = () => 0; // nothing needs to be drawn
    window.viewer?.dispose();
    document.body.innerHTML = "<div id=view></div>";
    const trajectory = npz && Uint8Array.from(atob(npz), (each) => each.charCodeAt(0));
    window.viewer = await MillwrightViewer.createViewer(document.getElementById("view"), { scene, trajectory });
}"""
SEEN = """([size, points]) => {
    const [width, height] = size;
    Object.assign(document.getElementById("view").style, { width: `${width}px`, height: `${height}px` });
    viewer.resize();
    const { camera } = viewer.stage;
    camera.updateMatrixWorld();
    const shown = points.map(([x, y, z]) => camera.position.clone().set(x, y, z).project(camera).toArray());
    return { eye: camera.position.toArray(), shown };
}"""

EXPLODED = """() => {
    const { camera } = viewer.stage;
    camera.updateMatrixWorld();
    viewer.world.root.updateMatrixWorld(true);
    return [...viewer.world.bodies.values()].filter((thing) => thing.kind === "design").flatMap(({ mesh }) => {
        const corners = mesh.geometry.getAttribute("position");
        return Array.from({ length: corners.count }, (_, index) => {
            const corner = camera.position.clone().fromBufferAttribute(corners, index);
            return mesh.localToWorld(corner).project(camera).toArray().slice(0, 2);
        });
    });
}"""


@dataclass(frozen=True)
class Subject:
    """What a view must show, as points (n, 3) in millimetres."""

    payload: Points
    path: Points
    goal: Points
    machine: Points

    @classmethod
    def of(cls, scene: Scene, npz: bytes = b"") -> "Subject":
        """Return those of a scene, with the way of its payload and the first pose of its parts."""
        path = np.load(BytesIO(npz))["payload_mm"][::5] if npz else np.zeros((0, 3))
        parts = [1000 * extreme_points_m(body) for body in scene.bodies if body.origin == "design"]
        low, high = np.array(scene.goal_zone.min_mm), np.array(scene.goal_zone.max_mm)
        shares = product((0.1, 0.5, 0.9), (0.1, 0.5, 0.9), (0.5, 0.9))
        goal = np.array([low + np.array(share) * (high - low) for share in shares])
        return cls(np.array([scene.payload.start_mm]), path, goal, np.concatenate([np.zeros((0, 3)), *parts]))

    @property
    def points(self) -> Points:
        """All of them."""
        return np.concatenate([self.payload, self.path, self.goal, self.machine])


def world(loaded: LoadedBenchmark) -> Scene:
    """Return a benchmark's world without a machine."""
    build = build_from_script(loaded.environment_code.decode(), loaded.variant)
    assert build.files is not None, build.fault
    assignment = Assignment(variant=loaded.variant, limits=loaded.limits)
    geometry = build.files.geometry
    order = DesignRequest(design=DesignData(parts=()), environment=geometry, assignment=assignment)
    return make_scene(loaded.variant, validate(order))


def seen_share(points: Points, eye: Points, scene: Scene) -> float:
    """Return the share of points that no box of the world hides from an eye."""
    geoms = [geom for body in scene.bodies if body.origin == "environment" for geom in body.geoms]
    hidden = np.zeros(len(points), dtype=np.bool_)
    for geom in geoms:
        if isinstance(geom, BoxGeom):
            half = np.array(geom.size_mm) / 2 - 0.5  # what only touches a face is seen
            ends = [(np.array(geom.center_mm) + side * half - eye) / (points - eye + 1e-9) for side in (-1, 1)]
            enters, leaves = np.minimum(*ends).max(axis=1), np.maximum(*ends).min(axis=1)
            hidden |= (enters < leaves) & (enters < 1.0) & (leaves > 0.0)
    return 1.0 - float(hidden.mean()) if len(points) else 1.0


@pytest_asyncio.fixture(loop_scope="module")
async def page(browser: Browser) -> AsyncIterator[Page]:
    context = await browser.new_context(viewport={"width": 1900, "height": 720})
    opened = await context.new_page()
    await opened.add_script_tag(path=SCRIPT)
    await opened.add_style_tag(path=STYLE)
    yield opened
    await context.close()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def kernels() -> AsyncIterator[Bench]:
    """Kernels on the loop of this module."""
    async with bench(replicas=1) as made:
        yield made


async def require_good_views(page: Page, scene: Scene, npz: bytes = b"") -> None:
    """Open a scene at each size; fail if something of it is out of the picture, or hidden by a wall."""
    subject = Subject.of(scene, npz)
    await page.evaluate(OPEN, [scene.model_dump_json(), base64.b64encode(npz).decode()])
    for size in SIZES:
        seen = await page.evaluate(SEEN, [size, subject.points.tolist()])
        assert np.abs(np.array(seen["shown"])[:, :2]).max() <= 1.0, size
        eye = np.array(seen["eye"])
        assert seen_share(subject.payload, eye, scene) == 1.0, size
        assert seen_share(subject.path, eye, scene) >= 0.9, size
        assert seen_share(subject.goal, eye, scene) >= 0.7, size


async def test_every_world_of_the_suite_shows_payload_and_goal(page: Page) -> None:
    assert len(built_in()) == 3 * len(FAMILIES)
    for name in built_in():
        await require_good_views(page, world(load(name, 0)))


@pytest.mark.sample(3)
@pytest.mark.parametrize("name", [drawn_level(family) for family in FAMILIES])
async def test_machine_of_each_family_is_in_the_picture(name: str, page: Page, kernels: Bench) -> None:
    solution = await kernels.witness(load(name, 0), witness(name))
    assert solution.scene is not None, solution.complaints
    record = Simulator(threads=1).simulate(solution.scene, SimulationSettings(1, seed=0))
    npz = record.trajectory.as_npz()
    await require_good_views(page, solution.scene, npz)
    points = Subject.of(solution.scene, npz).points
    await page.evaluate("viewer.explode(1)")
    exploded = await page.evaluate(EXPLODED)
    assert np.abs(exploded).max() <= 1.0
    await page.evaluate("viewer.explode(0)")
    seen = await page.evaluate(SEEN, [SIZES[0], points.tolist()])
    assert np.abs(np.array(seen["shown"])[:, :2]).max() <= 1.0
