"""Parts that beams cannot bound: necks, torsion, thin lids and blows, and honest neighbours of each."""

import pytest
from build123d import Box, Cylinder, Pos, Rot
from contracts.models.benchmark import Payload
from contracts.models.geometry import Vector
from contracts.models.scene import Scene
from contracts.models.simulation import PartUse, SimulationResult

from tests.physics.test_strength import EVERYWHERE, bond, result_under, scene_with
from tests.support.designs import Designs


def dropped(scene: Scene, start_mm: Vector, size_mm: float = 30.0) -> SimulationResult:
    """Let a steel ball fall for 0.6 s; it is in the goal all the time."""
    payload = Payload(shape="ball", size_mm=size_mm, start_mm=start_mm, density_kg_m3=7850.0, friction=0.5)
    return result_under(scene, payload, EVERYWHERE, duration_s=0.6, replicas=2)


def use_of(result: SimulationResult, label: str) -> PartUse:
    return {use.label: use for use in result.parts}[label]


def cut_slab(designs: Designs, neck_mm: float, tilt_deg: float = 0.0) -> SimulationResult:
    """A slab that is cut through across its thin axis but for a square neck, turned by 45 degrees."""
    gap = Pos(0, 0, 8) * Rot(tilt_deg, 0, 45) * (Box(120, 120, 0.5) - Box(neck_mm, neck_mm, 1))
    slab = designs.as_part("slab", Pos(0, 0, 10) * Box(60, 60, 20) - gap)
    scene = scene_with(designs, [slab], [bond("slab", "floor")])
    return dropped(scene, (15, 0, 60))


@pytest.mark.parametrize("tilt_deg", [0.0, 11.0])
def test_neck_between_sections_is_refused_with_place_number_and_remedy(designs: Designs, tilt_deg: float) -> None:
    result = cut_slab(designs, 1.2, tilt_deg)

    assert (result.nominal.ending, result.nominal.culprit) == ("overloaded", "slab")
    use = use_of(result, "slab")
    assert use.stress_by == "cut"
    assert use.peak_stress_at_mm is not None
    assert abs(use.peak_stress_at_mm[2] - 8) < 0.5
    assert use.safety_factor is not None
    assert use.safety_factor < 0.2
    assert "factor of safety" in result.nominal.cause
    assert "thicker there" in result.nominal.cause
    assert {replica.ending for replica in result.replicas} == {"overloaded"}


def test_slab_with_wide_neck_holds(designs: Designs) -> None:
    assert cut_slab(designs, 20.0).nominal.ending == "reached_goal"


def lid(designs: Designs, thickness_mm: float) -> SimulationResult:
    """A lid on a frame with an opening of 80 x 80 mm; the ball falls 100 mm onto its middle."""
    frame = designs.as_part("frame", Pos(0, 0, 20) * (Box(100, 100, 40) - Box(80, 80, 50)))
    top = designs.part("lid", (100, 100, thickness_mm), (0, 0, 40 + thickness_mm / 2))
    scene = scene_with(designs, [frame, top], [bond("frame", "floor"), bond("frame", "lid")])
    return dropped(scene, (0, 0, 155 + thickness_mm))


def test_thin_lid_under_a_falling_ball_is_refused_and_a_thick_one_holds(designs: Designs) -> None:
    thin = lid(designs, 0.9)
    assert (thin.nominal.ending, thin.nominal.culprit) == ("overloaded", "lid")
    assert use_of(thin, "lid").stress_by == "plate"
    assert lid(designs, 12.0).nominal.ending == "reached_goal"


def shelf(designs: Designs, thickness_mm: float) -> SimulationResult:
    """A shelf that is 52 mm long beyond its post; the ball falls 100 mm onto its end."""
    post = designs.part("post", (20, 30, 40), (-10, 0, 20))
    board = designs.part("board", (72, 30, thickness_mm), (16, 0, 40 + thickness_mm / 2))
    scene = scene_with(designs, [post, board], [bond("post", "floor"), bond("post", "board")])
    return dropped(scene, (48, 0, 155 + thickness_mm))


def test_blow_counts_by_its_energy(designs: Designs) -> None:
    """The mean over 10 ms is 6 MPa; by the closed form of a cantilever without mass, 26."""
    result = shelf(designs, 6.0)

    assert (result.nominal.ending, result.nominal.culprit) == ("overloaded", "board")
    use = use_of(result, "board")
    energy_mj, volume_mm3 = 1000 * 0.111 * 9.81 * 0.1, 48 * 30 * 6
    filled = 1 - 0.8 * (27.2 / 30) * (3.2 / 6) ** 3  # of the second moment: a shell of 1.4 mm, and 20 % infill
    closed_form = (18 * 2587.5 * energy_mj / (filled * volume_mm3)) ** 0.5
    assert 0.8 * closed_form < use.peak_stress_mpa < 1.15 * closed_form
    assert "; a blow at (48.0, 0.0, 45.5) mm reaches" in result.nominal.cause


def test_blow_onto_a_stiff_shelf_holds(designs: Designs) -> None:
    assert shelf(designs, 25.0).nominal.ending == "reached_goal"


def test_floor_that_is_glued_flat_takes_a_blow(designs: Designs) -> None:
    strip = designs.part("strip", (120, 12, 3), (0, 0, 1.5))
    result = dropped(scene_with(designs, [strip], [bond("strip", "floor")]), (0, 0, 118))

    assert result.nominal.ending == "reached_goal", result.nominal.cause


def twisted_post(designs: Designs, diameter_mm: float) -> SimulationResult:
    """A post with a round neck; the ball falls onto an arm that reaches far to the side of it: torsion and bending."""
    neck = Pos(0, 0, 20) * Rot(90, 0, 0) * Cylinder(diameter_mm / 2, 30)
    solid = Pos(0, 30, 20) * Box(40, 40, 40) + neck + Pos(60, -15, 20) * Box(160, 14, 14)
    post = designs.as_part("post", solid)
    scene = scene_with(designs, [post], [bond("post", "floor")])
    return dropped(scene, (120, -15, 45))


def test_neck_in_torsion_is_refused_and_a_thick_one_holds(designs: Designs) -> None:
    thin = twisted_post(designs, 9.0)
    assert (thin.nominal.ending, thin.nominal.culprit) == ("overloaded", "post")
    assert twisted_post(designs, 36.0).nominal.ending == "reached_goal"
