"""Load sharing of redundant welds, against closed forms."""

import numpy as np
import pytest
from contracts.models.mechanism import Constant
from contracts.models.scene import Body, LoadedJoint, Scene, Weld

from tests.sim_worker import machines, scenes
from tests.sim_worker.scene_runs import simulate_scene

G = 9.81
FLOOR = scenes.block("ground", (0, 0, -5), (600, 600, 10), "environment")


def _leg(label: str, x_mm: float) -> Body:
    return scenes.solid(label, (x_mm, 0, 50), (20, 20, 100))


def _glue(label: str, first: str, second: str, place_mm: tuple[float, float, float], force_n: float = 1200.0) -> Weld:
    """Return a weld of glue over a square of 20 mm, or proportionally weaker."""
    weld = scenes.weld(label, first, second, place_mm, force_n)
    return weld.model_copy(update={"max_moment_n_m": force_n * 0.02 / 6})


def _table(*welds: Weld) -> Scene:
    """Return a table top of 8 kg on two legs of 40 g."""
    top = scenes.solid("top", (0, 0, 110), (400, 100, 20))
    return scenes.machine_scene(FLOOR, _leg("left", -150), _leg("right", 150), top, welds=welds)


def _loads(scene: Scene) -> dict[str, tuple[float, float]]:
    """Return force (N) and moment (N m) of every weld, at rest."""
    readings = simulate_scene(scene, 0.02)
    labels = [weld.label for weld in readings.layout.judged_welds]
    pairs = zip(readings.weld_force_n[-1], readings.weld_moment_n_m[-1], strict=True)
    return {label: (float(force), float(moment)) for label, (force, moment) in zip(labels, pairs, strict=True)}


def _legs() -> tuple[Weld, ...]:
    return (
        _glue("left-foot", "left", "ground", (-150, 0, 0)),
        _glue("right-foot", "right", "ground", (150, 0, 0)),
        _glue("left-head", "left", "top", (-150, 0, 100)),
        _glue("right-head", "right", "top", (150, 0, 100)),
    )


def test_table_loads_both_legs() -> None:
    scene = _table(*_legs())
    masses = {body.label: body.mass.mass_kg for body in scene.bodies if body.mass}
    loads = _loads(scene)
    for side in ("left", "right"):
        assert loads[f"{side}-head"][0] == pytest.approx(masses["top"] * G / 2, rel=1e-3)
        assert loads[f"{side}-foot"][0] == pytest.approx((masses["top"] / 2 + masses[side]) * G, rel=1e-3)
    alone = masses["top"] * G * 0.15
    assert max(moment for _, moment in loads.values()) < 0.02 * alone


def test_table_on_one_leg_has_full_moment() -> None:
    left_foot, _, left_head, right_head = _legs()
    scene = _table(left_foot, left_head, right_head)
    masses = {body.label: body.mass.mass_kg for body in scene.bodies if body.mass}
    force, moment = _loads(scene)["left-foot"]
    assert force == pytest.approx(sum(masses.values()) * G, rel=1e-6)
    assert moment == pytest.approx((masses["top"] * 0.15 + masses["right"] * 0.3) * G, rel=1e-6)


def test_parts_are_in_equilibrium_with_redundant_welds() -> None:
    extra = _glue("brace", "left", "right", (0, 0, 50), 40.0)
    readings = simulate_scene(_table(*_legs(), extra), 0.02)
    assert readings.layout.weld_shares is not None
    np.testing.assert_allclose(readings.weld_force_n[-1][:2].sum(), _weight_n(_table()), rtol=1e-3)


def test_weld_order_does_not_change_loads() -> None:
    there, back = _loads(_table(*_legs())), _loads(_table(*reversed(_legs())))
    for label, load in there.items():
        assert back[label] == pytest.approx(load, rel=1e-6, abs=1e-9)


def test_weld_between_fixed_bodies_bears_nothing() -> None:
    rock = scenes.block("rock", (-250, 0, 25), (20, 20, 50), "environment")
    scene = _table(*_legs(), _glue("still", "ground", "rock", (-250, 0, 0)))
    loads = _loads(scene.model_copy(update={"bodies": (*scene.bodies, rock)}))
    assert loads["still"] == (0.0, 0.0)


def _weight_n(scene: Scene) -> float:
    return sum(body.mass.mass_kg for body in scene.bodies if body.mass) * G


def _pressing(**changes: object) -> Scene:
    """Return an arm that a motor on the post presses, at full voltage, against the end of its hinge."""
    drive = machines.servo(mode="voltage", control=Constant(share=1.0)).model_copy(update=changes)
    bodies = (machines.solid("post", (0, 0, 15), (40, 40, 30)), machines.solid("motor", (0, 0, 75), (30, 30, 30)))
    arm = machines.solid("arm", (110, 0, 45), (220, 12, 24))
    hinge = LoadedJoint(
        label="hinge", kind="revolute", parent="post", child="arm", anchor_mm=(0, 0, 45), angle_range_deg=(0.0, 0.5)
    )
    welds = (_glue("foot", "post", "ground", (0, 0, 0)), _glue("mount", "motor", "post", (0, 0, 60)))
    scene = scenes.machine_scene(FLOOR, *bodies, arm, welds=welds)
    return scene.model_copy(update={"joints": (hinge,), "drives": (drive,)})


def test_stalled_motor_loads_its_mount_not_the_foot() -> None:
    stall_n_m = 2.06
    readings = simulate_scene(_pressing(), 0.3)
    torque = float(readings.drive_torque_n_m[-1, 0])
    assert torque == pytest.approx(stall_n_m, rel=1e-3)
    foot, mount = readings.weld_moment_n_m[-1]
    assert mount == pytest.approx(stall_n_m, rel=1e-3)
    arm_kg = next(body.mass.mass_kg for body in _pressing().bodies if body.label == "arm" and body.mass)
    assert foot == pytest.approx(arm_kg * G * 0.11, rel=0.01), "the arm's weight alone, without motor and stop"


def test_idle_motor_loads_nothing() -> None:
    readings = simulate_scene(_pressing(control=Constant(share=0.0)), 0.3)
    assert readings.weld_moment_n_m[-1, 1] == pytest.approx(0.0, abs=0.01)
