"""Worlds of several payloads from the file through environment.py, judge and kernel to physics and the expert."""

from pathlib import Path

import pytest
from benchmarks.loader import CODE, FILE, SUITE, LoadedBenchmark, load
from cad_worker.host import KernelHost
from cad_worker.tools.session_tools import UnknownPayloadError, released_at
from sim_worker.world_check import WorldRefusedError, check_world

from tests.suite.test_author_page import block
from tests.suite.test_payload_worlds import WEDGE_CODE
from tests.support.benchmark_solver import Bench
from tests.support.environment_build import build_from_script

TWO_BALLS = block("yaml", "name: two-balls")


def two_balls(folder: Path, old: str = "", new: str = "", code_old: str = "", code_new: str = "") -> LoadedBenchmark:
    """Return the page's example, with one change in each file."""
    (folder / FILE).write_text(TWO_BALLS.replace(old, new) if old else TWO_BALLS, "utf-8")
    code = (SUITE.parent / "template" / CODE).read_text("utf-8")
    (folder / CODE).write_text(code.replace(code_old, code_new) if code_old else code, "utf-8")
    return load(str(folder), 1)


@pytest.mark.parametrize("rule", ["all", "any"])
def test_example_of_the_page_is_sound(rule: str, tmp_path: Path) -> None:
    loaded = two_balls(tmp_path, "must_arrive: all", f"must_arrive: {rule}")
    build = build_from_script(loaded.environment_code.decode(), loaded.variant)
    assert build.files is not None, build.fault
    scene = build.files.scene
    assert ([payload.label for payload in scene.payloads], scene.must_arrive) == (["light", "heavy"], rule)
    checked = check_world(scene)
    assert "without a machine the payload" in checked.without_machine
    assert "0 of 2 payloads were in the goal at the end" in checked.without_machine
    assert checked.trajectory.bodies == ("heavy",)


@pytest.mark.parametrize(("rule", "is_refused"), [("all", False), ("any", True)])
def test_world_in_which_one_arrives_by_itself_needs_no_machine_if_any_must(
    rule: str, is_refused: bool, tmp_path: Path
) -> None:
    """The heavy ball falls into the goal."""
    text = TWO_BALLS.replace("start_mm: [-180, 25, 300]", "start_mm: [180, 25, 300]")
    loaded = two_balls(tmp_path, TWO_BALLS, text.replace("must_arrive: all", f"must_arrive: {rule}"))
    build = build_from_script(loaded.environment_code.decode(), loaded.variant)
    assert build.files is not None, build.fault
    if not is_refused:
        assert "the payload light missed the goal" in check_world(build.files.scene).without_machine
        return
    with pytest.raises(WorldRefusedError, match="without a machine the payload heavy reaches the goal by itself"):
        check_world(build.files.scene)


def test_payload_in_a_solid_or_of_its_label_is_refused(tmp_path: Path) -> None:
    buried = two_balls(tmp_path, "start_mm: [-180, 25, 300]", "start_mm: [-180, 25, 10]")
    fault = build_from_script(buried.environment_code.decode(), buried.variant).fault
    assert fault is not None
    assert fault.reason == "payload_in_wall"
    assert fault.detail.startswith("heavy, a ball of 30 mm")
    named = two_balls(tmp_path, "label: heavy", "label: floor")
    fault = build_from_script(named.environment_code.decode(), named.variant).fault
    assert fault is not None
    assert "floor is the label of a payload and of a solid" in fault.detail


@pytest.mark.asyncio(loop_scope="session")
async def test_each_solid_is_built_by_the_code(kernel_host: KernelHost, tmp_path: Path) -> None:
    """Both are wedges, each of its own edges."""
    text = TWO_BALLS.replace("shape: ball, size_mm: 40", "shape: solid, edges_mm: [40, 30, 24]")
    text = text.replace("shape: ball, size_mm: 30", "shape: solid, edges_mm: [30, 30, 24]")
    loaded = two_balls(tmp_path, TWO_BALLS, text)
    code = f"from build123d import Plane, Polygon, extrude\n{loaded.environment_code.decode()}{WEDGE_CODE}"
    build = await kernel_host.build_environment(code, loaded.variant)
    assert build.files is not None, build.fault
    scene = build.files.scene
    assert [len(payload.hull_mm) for payload in scene.payloads] == [6, 6]
    assert max(corner[0] for corner in scene.payloads[1].hull_mm) == pytest.approx(15)
    assert check_world(scene).trajectory.bodies == ("heavy",)
    environment = build.files.geometry.model_copy(update={"more_payload_hulls_mm": ()})
    assert environment.with_payload(loaded.variant).more_payloads[0].hull_mm == ()
    assert build.files.geometry.with_payload(loaded.variant).payloads == scene.payloads


@pytest.mark.asyncio(loop_scope="session")
async def test_kernel_knows_all_payloads(kernel_host: KernelHost, tmp_path: Path) -> None:
    code = "print([(each.label, each.size_mm) for each in benchmark.payloads], benchmark.must_arrive)"
    printed = await Bench(kernel_host, 1).printed(two_balls(tmp_path), code)
    assert "[('light', 40.0), ('heavy', 30.0)] all" in printed


@pytest.mark.asyncio(loop_scope="session")
async def test_expert_leads_two_balls_into_the_goal(kernel_host: KernelHost, tmp_path: Path) -> None:
    solution = await Bench(kernel_host, 8).solve(two_balls(tmp_path))
    assert solution.result is not None, solution.refusal
    assert solution.is_solved, solution.result.summary_md
    assert "**SOLVED**: all 2 payloads touched the goal zone" in solution.result.summary_md


@pytest.mark.asyncio(loop_scope="session")
async def test_expert_refuses_starts_that_are_far_apart(kernel_host: KernelHost, tmp_path: Path) -> None:
    far = two_balls(tmp_path, "start_mm: [-180, 25, 300]", "start_mm: [-180, 220, 300]")
    solution = await Bench(kernel_host, 1).solve(far)
    assert solution.result is None
    assert "mm" in solution.refusal


def test_station_test_releases_payloads_by_their_labels(tmp_path: Path) -> None:
    build = build_from_script((loaded := two_balls(tmp_path)).environment_code.decode(), loaded.variant)
    assert build.files is not None, build.fault
    scene = build.files.scene
    moved = released_at(scene, {"heavy": (0, 0, 100)})
    assert [payload.start_mm for payload in moved.payloads] == [scene.payload.start_mm, (0, 0, 100)]
    assert moved.is_station_test
    assert released_at(scene, (0, 0, 100)).payload.start_mm == (0, 0, 100)
    with pytest.raises(UnknownPayloadError, match="no payload is called red; there are light, heavy"):
        released_at(scene, {"red": (0, 0, 100)})
