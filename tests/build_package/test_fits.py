"""Gaps and fits against figures by hand: a pin in a hole, a lid, a slide, a gear pair."""

from collections.abc import Sequence
from dataclasses import replace
from math import cos, hypot, pi, sin

import pytest
from build123d import Box, Cylinder, Pos, Rot
from build_package.fits.chains import stack_of
from build_package.fits.moving_gaps import NEAR_MM, Gap, moving_gaps
from build_package.fits.shaft_fits import Fit, shaft_fits
from contracts.models.design import Method
from contracts.models.mechanism import Connection, Coupling, Joint, Mechanism, Positions
from contracts.models.scene import Drive, LoadedJoint

from tests.build_package.machines import Made, machine_of
from tests.sim_worker.scenes import drive, joint, machine_scene, solid, weld


def fit_of(hole_mm: float, pin_mm: float, method: Method = "cnc", material: str = "aluminum-6061") -> Fit:
    turned = Rot(20, 30, 40)
    plate = Made("plate", turned * (Box(hole_mm + 30, hole_mm + 30, 10) - Cylinder(hole_mm / 2, 20)), method, material)
    pin = Made("pin", turned * Pos(0, 0, 4) * Rot(180, 0, 0) * Cylinder(pin_mm / 2, 30), method, material)
    (fit,) = shaft_fits(machine_of([plate, pin]))
    return fit


def test_milled_pin_in_a_hole_has_the_play_of_iso_2768() -> None:
    """By hand: 10.3 - 10.0 = 0.3; medium keeps 0.2 from 6 to 30 mm, of hole and pin together 0.4."""
    fit = fit_of(10.3, 10.0)
    assert (fit.hole, fit.shaft) == ("plate", "pin")
    assert (fit.play_mm, fit.tolerance_mm) == (pytest.approx(0.3), pytest.approx(0.4))
    assert fit.verdict == f"may bind, in {fit.binding_share:.0%} of machines: ream or file to the play"
    assert fit_of(10.5, 10.0).verdict == "loose"
    assert fit_of(10.0, 10.45).verdict == "press fit"


@pytest.mark.parametrize(("play_mm", "share"), [(0.2, 1 / 8), (0.0, 1 / 2), (0.3, 1 / 32), (0.41, 0.0)])
def test_pin_binds_in_the_share_of_machines_that_its_drawn_sizes_leave(play_mm: float, share: float) -> None:
    """By hand: hole and pin each vary evenly by 0.2; their sum exceeds p in (0.4 - p)² / 0.32 of cases."""
    fit = Fit("plate", "pin", 10.0 + play_mm, 10.0, (0.2, 0.2))
    assert fit.binding_share == pytest.approx(share, abs=0.01)
    assert (fit.verdict == "loose") is (share == 0.0)


def test_printed_pin_in_a_hole_has_the_tolerance_of_printers() -> None:
    """By hand: filament keeps 0.2 mm up to 40 mm and half a per cent beyond, powder 0.3."""
    assert fit_of(10.5, 10.0, "3d_printing", "pla").tolerance_mm == pytest.approx(0.4)
    assert fit_of(61.0, 60.0, "3d_printing", "pla").tolerance_mm == pytest.approx(0.305 + 0.3)
    assert fit_of(10.5, 10.0, "3d_printing", "pa12-sls").tolerance_mm == pytest.approx(0.6)


def test_hole_beside_a_pin_or_far_along_its_axis_is_not_a_fit() -> None:
    plate = Box(40, 40, 10) - Cylinder(5.2, 20)
    for place in (Pos(0.2, 0, 0), Pos(0, 0, 40), Pos(30, 0, 0)):
        assert shaft_fits(machine_of([Made("plate", plate), Made("pin", place * Cylinder(5, 30))])) == []


def gaps_of(
    parts: dict[str, object],
    joints: Sequence[LoadedJoint],
    couplings: Sequence[Coupling] = (),
    drives: Sequence[Drive] = (),
) -> list[Gap]:
    """Return the gaps of a machine whose first part is fixed."""
    made = [Made(label, shape) for label, shape in parts.items()]  # pyright: ignore[reportArgumentType]
    bodies = [solid(label, (0, 0, 0), (1, 1, 1)) for label in parts]
    held = weld("foot", made[0].label, "far_shelf", (0, 0, 0))
    scene = machine_scene(
        *bodies, welds=(held,), joints=tuple(joints), couplings=tuple(couplings), drives=tuple(drives)
    )
    return moving_gaps(replace(machine_of(made), scene=scene))


def test_slide_between_two_walls_has_its_side_play() -> None:
    """By hand: 20.0 between the walls less 19.4 leaves 0.3 on either side; it is 0.5 above the floor."""
    channel = Pos(0, 0, -5) * Box(200, 40, 10) + [Pos(0, y, 5) * Box(200, 10, 10) for y in (-15, 15)]
    slider = Pos(-50, 0, 5.5) * Box(30, 19.4, 10.0)
    way = joint("way", "linear", "channel", "slider", (0, 0, 0), axis=(1, 0, 0), travel_range_mm=(0.0, 100.0))
    (gap,) = gaps_of({"channel": channel, "slider": slider}, [way])
    assert gap.gap_mm == pytest.approx(0.3, abs=1e-6)
    assert gap.stack.worst_mm == pytest.approx((0.5 + 0.2) / 2), "half of each: both are milled to ISO 2768-m"
    assert gap.stack.likely_mm == pytest.approx(hypot(0.25, 0.1))
    assert gap.touching_share == pytest.approx((0.25 + 0.1 - 0.3) ** 2 / (8 * 0.25 * 0.1), abs=0.005)
    assert gap.verdict == "likely free, touches in 1% of machines: check it"


def test_stack_of_a_lift_over_its_wall_is_the_sum_by_hand() -> None:
    """By hand, milled to ISO 2768-m: half of 0.3 of the tray of 60 mm and of 0.5 of the wall of 200, the whole 0.3 of
    the plate of 100 and 0.5 of the post of 300; glue 0.1 twice, a slide 0.1, a screw M4 in a hole of 4.5 mm 0.25."""
    sizes = {"tray": 60, "plate": 100, "post": 300, "wall": 200}
    parts = [Made(label, Pos(0, 20 * n, 0) * Box(size, 10, 10)) for n, (label, size) in enumerate(sizes.items())]
    glue = [
        Connection(first="tray", second="plate", means="bonded"),
        Connection(first="wall", second="base", means="bonded"),
    ]
    screw = Connection(
        first="post", second="base", means="fastened", fastener_id="iso4762-m4x16", places_mm=((0, 0, 0),),
        directions=((0, 0, -1),),
    )  # fmt: skip
    slide = Joint(label="slide", kind="linear", parent="post", child="plate", anchor_mm=(0, 0, 0))
    machine = machine_of(parts, Mechanism(connections=(*glue, screw), joints=(slide,)))
    stack = stack_of(machine, "tray", "wall")
    assert stack.labels == ("tray", "plate", "post", "base", "wall"), "the base is the site's own"
    assert stack.worst_mm == pytest.approx(0.15 + 0.3 + 0.5 + 0.25 + 0.1 + 0.1 + 0.25 + 0.1)
    squares = (0.15, 0.3, 0.5, 0.25, 0.1, 0.1, 0.25, 0.1)
    assert stack.likely_mm == pytest.approx(hypot(*squares))


def test_lid_passes_a_post_at_the_gap_of_its_corner() -> None:
    """By hand: the corner of a lid of 50 x 4 is hypot(50, 4) from the hinge; the post begins 51 from it."""
    base = Pos(44.5, 0, -20) * Box(89, 20, 10) + Pos(70, 0, 10) * Box(38, 20, 70)
    lid = Pos(25, 0, -2) * Box(50, 20, 4)
    hinge = joint("hinge", "revolute", "base", "lid", (0, 0, 0), angle_range_deg=(-90.0, 0.0))
    (gap,) = gaps_of({"base": base, "lid": lid}, [hinge])
    corner_deg = 4.6  # atan(4/50): the corner is level with the hinge; the nearest pose is 7.5° away at most
    assert 51 - hypot(50, 4) - 1e-6 <= gap.gap_mm <= 51 - hypot(50, 4) * cos(7.5 * pi / 180) + 1e-6
    assert gap.joint == "hinge"
    assert abs(gap.position + corner_deg) <= 7.5


def test_gear_pair_has_its_gap_in_every_pose_and_the_follower_turns_along() -> None:
    """By hand: discs of 20 and 30 on axes 50.5 apart; a notch in one would open the gap if only one turned."""
    frame = Pos(0, 0, -30) * Box(150, 60, 10)
    wheels = {"pinion": Cylinder(20, 6), "wheel": Pos(50.5, 0, 0) * Cylinder(30, 6)}
    hubs = [
        joint("one", "revolute", "frame", "pinion", (0, 0, 0), axis=(0, 0, 1)),
        joint("two", "revolute", "frame", "wheel", (50.5, 0, 0), axis=(0, 0, 1)),
    ]
    (gap,) = gaps_of({"frame": frame, **wheels}, hubs, [Coupling(kind="gear", first="one", second="two", ratio=-2 / 3)])
    assert (gap.first, gap.second) == ("pinion", "wheel")
    assert gap.gap_mm == pytest.approx(0.5, abs=1e-6)
    assert gap.verdict == "free", "half of 0.3 and 0.3"
    assert replace(gap, is_mesh=True).verdict.startswith("in mesh")


def test_motor_that_turns_a_part_of_the_range_is_followed_there_only() -> None:
    """By hand: an arm of 40 that turns by 45° ends 12.7 before a wall at 41; over all its range it comes to 1."""
    base = Pos(0, 50, 0) * Box(200, 18, 10)
    arm = Pos(20, 0, 0) * Box(40, 0.02, 6)
    hub = joint("hub", "revolute", "base", "arm", (0, 0, 0), axis=(0, 0, 1), angle_range_deg=(0.0, 90.0))
    (whole,) = gaps_of({"base": base, "arm": arm}, [hub])
    assert whole.gap_mm == pytest.approx(1.0, abs=1e-6)
    turned = drive("motor", "hub", mode="position", control=Positions(times_s=(1.0,), targets=(45.0,)))
    assert gaps_of({"base": base, "arm": arm}, [hub], drives=[turned]) == []
    assert 41 - 40 * sin(pi / 4) > NEAR_MM
