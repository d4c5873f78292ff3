"""The API of a critic: stability, load ratios, use of limits, redundant parts."""

import pytest
from contracts.models.benchmark import Limits
from contracts.models.scene import Body, BoxGeom, Drive, LoadedJoint, Scene, Weld
from contracts.models.simulation import LoadUse, MotorUse, PhysicalEvent, SimulationResult
from kernel.api.reviews.load_ratios import overloads, strains
from kernel.api.reviews.redundancy import each_removable_alone, economy
from kernel.api.reviews.reruns import NotTheDesignError, Review, assess, connect, simulate
from kernel.api.simulation_run import SimulationRun
from kernel.runtime.variables import summary_of

from tests.contracts import example_values as values

BEAM = LoadUse(label="beam-floor", peak_force_n=10.0, max_force_n=100.0, peak_moment_n_m=3.0, max_moment_n_m=2.0)
FREE = LoadUse(label="free", peak_force_n=10.0)


def ran(**endings: int) -> SimulationResult:
    nominal = values.RESULT.nominal
    replicas = tuple(
        nominal.model_copy(update={"ending": each}) for each, count in endings.items() for _ in range(count)
    )
    return values.RESULT.model_copy(update={"replicas": replicas})


def body(label: str, origin: str = "design") -> Body:
    geom = BoxGeom(center_mm=(0, 0, 0), quaternion=(1, 0, 0, 0), size_mm=(10, 10, 10))
    return Body.model_validate({"label": label, "origin": origin, "geoms": (geom,), "friction": 0.4})


def weld(first: str, second: str) -> Weld:
    return Weld(label=f"{first}-{second}", first=first, second=second, means="bonded", anchor_mm=(0, 0, 0))


def scene(labels: str, *welds: Weld, joints: tuple[LoadedJoint, ...] = (), drives: tuple[Drive, ...] = ()) -> Scene:
    variant = values.ASSIGNMENT.variant
    return Scene(
        bodies=(body("floor", "environment"), *map(body, labels.split())),
        welds=welds,
        joints=joints,
        drives=drives,
        payload=variant.payload,
        goal_zone=variant.goal_zone,
        forbid_zones=(),
        build_zone=variant.build_zone,
        bounds=variant.bounds,
        hold_s=1.0,
        duration_s=10.0,
    )


def touched(*labels: str) -> SimulationResult:
    events = [
        PhysicalEvent(time_s=0.1, kind="contact", subject="payload", other=label, place_mm=(0, 0, 0))
        for label in labels
    ]
    return values.RESULT.model_copy(update={"events": tuple(events)})


def _motor(label: str, near_stall_s: float, overload_s: float = 0.0) -> MotorUse:
    return MotorUse(
        label=label,
        peak_torque_n_m=1.0,
        stall_torque_n_m=1.0,
        continuous_torque_n_m=0.3,
        longest_overload_s=0.0,
        thermal_limit_s=5.0,
        overload_s=overload_s,
        near_stall_s=near_stall_s,
        peak_power_w=1.0,
        mean_power_w=1.0,
    )


def test_load_ratios_use_limits_of_loads_and_times_of_motors() -> None:
    motors = (_motor("servo", 1.2), _motor("floor", 1.9), _motor("hot", 0.3, overload_s=5.5), _motor("brief", 0.3, 0.5))
    run = values.RESULT.model_copy(update={"motors": motors, "loads": (BEAM, FREE)})
    assert strains(run) == pytest.approx({"floor": 1.9, "beam-floor": 1.5, "servo": 1.2, "hot": 1.1, "brief": 0.3})
    assert overloads(scene("servo"), run) == [
        "`beam-floor` bears 150% of its limit",
        "`servo` gave more than half of its stall torque for 1.20 s; 1 s is the limit",
        "`hot` was above its continuous torque for 5.50 s; 5 s is the limit",
    ]


def test_start_at_full_stall_torque_for_a_moment_is_no_overload() -> None:
    run = values.RESULT.model_copy(update={"motors": (_motor("servo", 0.2, overload_s=0.3),), "loads": ()})
    assert overloads(scene("servo"), run) == []


def test_economy_is_share_of_each_limit() -> None:
    bill = values.BILL
    shares = economy(bill, Limits(max_unit_price_usd=2 * bill.unit_price_usd, max_mass_kg=bill.mass_kg))
    assert shares == {"unit price": pytest.approx(0.5), "mass": pytest.approx(1.0)}


@pytest.mark.parametrize(
    ("labels", "welds", "spare"),
    [
        ("rail leg flag", ("floor leg", "leg rail", "rail flag"), ("flag",)),
        ("rail leg other", ("floor leg", "leg rail", "floor other", "other rail"), ("leg", "other")),
        ("rail leg post tip", ("floor leg", "leg rail", "floor post", "post tip"), ("post", "tip")),
        ("rail leg", ("leg rail",), ()),
    ],
    ids=["attached to needed part", "two paths to floor", "own branch", "rests on something"],
)
def test_spare_parts_are_untouched_and_hold_nothing_needed(
    labels: str, welds: tuple[str, ...], spare: tuple[str, ...]
) -> None:
    pairs = (each.split() for each in welds)
    assert (
        each_removable_alone(scene(labels, *(weld(first, second) for first, second in pairs)), touched("rail")) == spare
    )


def test_jointed_parts_are_needed_without_contact() -> None:
    hinge = LoadedJoint(label="hinge", kind="revolute", parent="base", child="weight", anchor_mm=(0, 0, 0))
    world = scene("base weight rail", weld("floor", "base"), weld("floor", "rail"), joints=(hinge,))
    assert each_removable_alone(world, touched("rail")) == ()


def test_rerun_takes_only_the_submitted_design(capsys: pytest.CaptureFixture[str]) -> None:
    design, calls = object(), list[tuple[int, int]]()

    def rerun(seed: int, replicas: int) -> SimulationRun:
        calls.append((seed, replicas))
        return SimulationRun.of(ran(reached_goal=5, left_bounds=1), b"")

    connect(Review(design, rerun, lambda: values.ASSESSMENT, verdict_seed=3))
    simulate(design, seed=7, replicas=6)
    assert "seed 7: 5 of 6" in capsys.readouterr().out
    with pytest.raises(NotTheDesignError):
        simulate(object(), seed=7)
    with pytest.raises(ValueError, match="replicas=65"):
        simulate(design, seed=7, replicas=65)
    simulate(design, seed=3)
    assert "not counted, the verdict had this seed" in capsys.readouterr().out
    assert calls == [(7, 6), (3, 6)]
    assert assess() == values.ASSESSMENT
    assert summary_of(assess()).startswith("stable: 30 of 31 replicas under 6 seeds")
