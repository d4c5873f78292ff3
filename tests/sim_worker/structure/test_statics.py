"""Statics of welds and beams: loads in balance, buckling lengths, bending, and built-up sections, in closed form."""

from itertools import permutations

import numpy as np
import pytest
from contracts.models.geometry import Vector
from contracts.models.scene import Beam, Body, Weld
from sim_worker.structure.beam_model import BeamModel, effective_lengths_mm
from sim_worker.structure.built_up_beams import built_up_beam
from sim_worker.structure.section_loads import PointLoad, SectionLoads
from sim_worker.structure.supports import Support, points_of, supports_of
from sim_worker.structure.weld_points import WeldPoints
from sim_worker.units import Floats

from tests.sim_worker.scenes import block, joint, machine_scene
from tests.sim_worker.structure.beams import MODULUS_MPA, SECTIONS, glued, rod

LENGTH_MM, WIDE_MM, THIN_MM = 120.0, 20.0, 4.0
INERTIA_MM4 = WIDE_MM * THIN_MM**3 / 12
AXES = list(permutations(range(3)))
"""Which world axis the beam lies along, which its wide side, and which its thin side."""


def placed(order: tuple[int, ...], values: tuple[float, float, float]) -> Vector:
    """Return a vector whose components belong to these axes of the world."""
    found = [0.0, 0.0, 0.0]
    for axis, value in zip(order, values, strict=True):
        found[axis] = value
    return found[0], found[1], found[2]


def strip(order: tuple[int, ...] = (0, 1, 2), label: str = "strip", offset_mm: float = 0.0) -> Body:
    """Return a strip from 10 to 130 mm along the first of the axes."""
    return rod(label, placed(order, (70.0, 5.0, -7.0 + offset_mm)), placed(order, (LENGTH_MM, WIDE_MM, THIN_MM)))


def beam_of(body: Body) -> Beam:
    assert body.strength is not None
    return body.strength.beams[0]


def screws(*places_mm: Vector) -> Weld:
    anchor = np.mean(places_mm, axis=0)
    return Weld(
        label="screws",
        first="strip",
        second="wall",
        means="fastened",
        anchor_mm=(float(anchor[0]), float(anchor[1]), float(anchor[2])),
        places_mm=places_mm,
    )


WELDS = {
    "glued across x": glued("w", "strip", "wall", (10, 5, -7), (0, 20, 4)),
    "glued across y": glued("w", "strip", "wall", (30, -5, -7), (40, 0, 4)),
    "glued across z": glued("w", "strip", "wall", (30, 5, -9), (40, 20, 0)),
    "one screw": screws((20, 3, 4)),
    "two screws": screws((20, 3, 4), (30, -3, 5)),
    "four screws": screws((0, 0, 4), (30, 0, 4), (0, 20, 4), (30, 20, 4)),
}


@pytest.mark.parametrize("weld", WELDS.values(), ids=WELDS)
@pytest.mark.parametrize("component", range(6))
def test_points_of_a_weld_bear_its_whole_load(weld: Weld, component: int) -> None:
    """Force and moment about the origin are those of the load about the anchor."""
    points, load = WeldPoints.of(weld), np.eye(6)[component]
    borne = (points.effects.sum(axis=0) + points.couple) @ load
    force, moment = load[:3], load[3:] + np.cross(weld.anchor_mm, load[:3])
    np.testing.assert_allclose(borne, np.concatenate([force, moment]), atol=1e-9)
    arms = np.array(
        [np.cross(at, effect[:3] @ load) for at, effect in zip(points.points_mm, points.effects, strict=True)]
    )
    np.testing.assert_allclose(arms, points.effects[:, 3:] @ load, atol=1e-9)


@pytest.mark.parametrize(("name", "is_left"), [("one screw", True), ("four screws", False), ("glued across z", False)])
def test_points_bear_a_moment_where_they_are_apart(name: str, is_left: bool) -> None:
    moments = WeldPoints.of(WELDS[name]).couple[3:, 3:]
    np.testing.assert_allclose(moments, np.eye(3) if is_left else np.zeros((3, 3)), atol=1e-9)


def test_two_screws_leave_the_moment_about_their_line_to_the_anchor() -> None:
    weld = WELDS["two screws"]
    line: Floats = np.array((10.0, -6.0, 1.0)) / np.sqrt(137.0)
    np.testing.assert_allclose(WeldPoints.of(weld).couple[3:, 3:], np.outer(line, line), atol=1e-9)


@pytest.mark.parametrize("order", AXES)
def test_glued_face_has_six_by_two_points_that_spread_over_it(order: tuple[int, ...]) -> None:
    weld = glued("w", "a", "b", placed(order, (1.0, 2.0, 3.0)), placed(order, (36.0, 8.0, 0.0)))
    points = points_of(weld)[:, list(order)] - (1.0, 2.0, 3.0)
    assert sorted({round(float(each), 6) for each in points[:, 0]}) == [-15, -9, -3, 3, 9, 15]
    assert sorted({round(float(each), 6) for each in points[:, 1]}) == [-2, 2]
    np.testing.assert_allclose(points[:, 2], 0.0, atol=1e-9)
    assert len(points) == 12


@pytest.mark.parametrize(("width_mm", "count"), [(0.9, 12), (0.7, 6)])
def test_narrow_face_has_one_row_of_points(width_mm: float, count: int) -> None:
    assert len(points_of(glued("w", "a", "b", (0, 0, 0), (40.0, width_mm, 0.0)))) == count


def cut(order: tuple[int, ...], weld_load: Floats, points: list[PointLoad], sign: float = 1.0) -> tuple[Floats, Floats]:
    """Return force along the strip (k,) and moments about its two axes (2, k), held at its first end by a screw."""
    weld = WeldPoints.of(screws(placed(order, (10.0, 5.0, -7.0))))
    sections = SectionLoads.of(beam_of(strip(order)), [weld], np.array([sign]))
    forces, moments = sections.at((sign * weld_load)[None, None], points)
    return forces[0], moments[0]


def load_at(point_mm: Vector, force: Vector, moment_n_mm: Vector = (0.0, 0.0, 0.0)) -> PointLoad:
    return PointLoad(np.array([point_mm]), np.array([force]), np.array([moment_n_mm]))


PLACES = 10.0 + (np.arange(SECTIONS) + 0.5) * LENGTH_MM / SECTIONS


@pytest.mark.parametrize("order", AXES)
@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("across", [1, 2])
def test_force_on_the_end_of_a_cantilever_bends_it_by_its_lever(
    order: tuple[int, ...], sign: float, across: int
) -> None:
    """10 N at 130 mm; the weld answers with the same force and 1.2 N m."""
    push = placed(order, (0.0, 10.0 * (across == 1), 10.0 * (across == 2)))
    end = placed(order, (130.0, 5.0, -7.0))
    moment = np.cross(np.subtract(end, placed(order, (10.0, 5.0, -7.0))), push) / 1000
    forces, moments = cut(order, np.concatenate([-np.array(push), -moment]), [load_at(end, push)], sign)
    np.testing.assert_allclose(forces, 0.0, atol=1e-9)
    about_wide, about_thin = np.abs(moments)
    expected = 10.0 * (130.0 - PLACES)
    np.testing.assert_allclose(about_wide, expected if across == 2 else 0.0, atol=1e-6)
    np.testing.assert_allclose(about_thin, expected if across == 1 else 0.0, atol=1e-6)


@pytest.mark.parametrize("order", AXES)
def test_force_along_a_beam_acts_up_to_its_point(order: tuple[int, ...]) -> None:
    push = placed(order, (-10.0, 0.0, 0.0))
    point = placed(order, (72.0, 5.0, -7.0))
    forces, moments = cut(order, np.concatenate([-np.array(push), np.zeros(3)]), [load_at(point, push)])
    np.testing.assert_allclose(forces, np.where(PLACES < 72.0, -10.0, 0.0), atol=1e-9)
    np.testing.assert_allclose(moments, 0.0, atol=1e-9)


@pytest.mark.parametrize("order", AXES)
def test_moment_on_the_end_bends_the_beam_alike_everywhere(order: tuple[int, ...]) -> None:
    turn = np.array(placed(order, (0.0, 500.0, 0.0)))
    load = load_at(placed(order, (130.0, 5.0, -7.0)), (0.0, 0.0, 0.0), (float(turn[0]), float(turn[1]), float(turn[2])))
    _, moments = cut(order, np.concatenate([np.zeros(3), -turn / 1000]), [load])
    np.testing.assert_allclose(np.abs(moments), [[500.0] * SECTIONS, [0.0] * SECTIONS], atol=1e-6)


@pytest.mark.parametrize("order", AXES)
def test_weight_is_what_is_missing_to_the_balance(order: tuple[int, ...]) -> None:
    """A weld that carries 12 N up and the moment of a spread load, and nothing else: a weight of 1 N per slice."""
    up, lever = np.array(placed(order, (0.0, 0.0, 12.0))), np.array(placed(order, (60.0, 0.0, 0.0)))
    _, (about_wide, about_thin) = cut(order, np.concatenate([up, np.cross(lever, up) / 1000]), [])
    beyond = np.arange(SECTIONS)[::-1]
    np.testing.assert_allclose(np.abs(about_wide), 10.0 * beyond * (beyond + 1) / 2, atol=1e-6)
    np.testing.assert_allclose(about_thin, 0.0, atol=1e-9)


@pytest.mark.parametrize("order", AXES)
def test_weight_along_a_beam_grows_towards_its_support(order: tuple[int, ...]) -> None:
    up = np.array(placed(order, (12.0, 0.0, 0.0)))
    forces, _ = cut(order, np.concatenate([up, np.zeros(3)]), [])
    np.testing.assert_allclose(forces, -(np.arange(SECTIONS)[::-1] + 0.5), atol=1e-9)


@pytest.mark.parametrize(
    ("held_mm", "expected"),
    [
        ([], [120.0, 120.0, 120.0, 120.0]),
        ([30.0], [40.0, 200.0, 200.0, 200.0]),
        ([30.0, 90.0], [40.0, 60.0, 60.0, 80.0]),
        ([10.0, 70.0, 130.0], [60.0, 60.0, 60.0, 60.0]),
        ([60.0, 62.0, 64.0], [100.0, 100.0, 2.0, 132.0]),
    ],
)
def test_buckling_length_is_the_distance_of_supports_or_twice_the_free_end(
    held_mm: list[float], expected: list[float]
) -> None:
    places = np.array([20.0, 50.0, 63.0, 110.0])
    found = effective_lengths_mm(places, np.array(held_mm), 10.0, 130.0)
    np.testing.assert_allclose(found, expected)


def support(*points_mm: Vector) -> Support:
    return Support(np.array(points_mm), leads_to_world=True)


def model(*supports: Support, order: tuple[int, ...] = (0, 1, 2)) -> BeamModel:
    return BeamModel.of(beam_of(strip(order)), MODULUS_MPA, list(supports))


def test_beam_buckles_by_euler_or_in_its_wall() -> None:
    euler_n = np.pi**2 * MODULUS_MPA * INERTIA_MM4 / LENGTH_MM**2
    np.testing.assert_allclose(model().buckling_n, euler_n)
    held = model(support((10, 5, -7)), support((130, 5, -7)), support((70, 5, -7)))
    np.testing.assert_allclose(held.buckling_n, 4 * euler_n)
    beam = beam_of(strip())
    foil = beam.model_copy(
        update={"sections": tuple(each.model_copy(update={"wall_mm": 0.2}) for each in beam.sections)}
    )
    wall_n = 3.6 * MODULUS_MPA * 0.01**2 * WIDE_MM * THIN_MM
    assert wall_n < euler_n
    np.testing.assert_allclose(BeamModel.of(foil, MODULUS_MPA, []).buckling_n, wall_n)


def test_stress_adds_force_and_both_moments_of_any_sign() -> None:
    forces = np.array([[160.0], [-160.0]]) * np.ones(SECTIONS)
    moments = np.array([[[100.0], [-200.0]], [[-100.0], [200.0]]]) * np.ones(SECTIONS)
    expected = 160 / 80 + 100 / (WIDE_MM * THIN_MM**2 / 6) + 200 / (THIN_MM * WIDE_MM**2 / 6)
    np.testing.assert_allclose(model().stresses_mpa(forces, moments), np.full((2, SECTIONS), expected))


def test_only_compression_buckles_with_a_factor_of_two() -> None:
    euler_n = np.pi**2 * MODULUS_MPA * INERTIA_MM4 / LENGTH_MM**2
    forces = np.array([[euler_n], [-euler_n]]) * np.ones(SECTIONS)
    np.testing.assert_allclose(model().buckling_uses(forces), np.array([[0.0], [2.0]]) * np.ones(SECTIONS))


@pytest.mark.parametrize("order", AXES)
def test_constant_moment_bends_a_cantilever_and_a_beam_on_two_supports(order: tuple[int, ...]) -> None:
    """M L² / (2 E I) at the free end; M L² / (8 E I) between two supports, in the middle."""
    moments = np.zeros((1, 2, SECTIONS))
    moments[:, 0] = 100.0
    sag = 100.0 * LENGTH_MM**2 / (MODULUS_MPA * INERTIA_MM4)
    first, last = placed(order, (10.0, 5.0, -7.0)), placed(order, (130.0, 5.0, -7.0))
    held_once = model(support(first), order=order).deflections_mm(moments)[0]
    assert (held_once[0], held_once[-1]) == (pytest.approx(0.0, abs=1e-9), pytest.approx(sag / 2, rel=0.01))
    held_twice = model(support(first), support(last), order=order).deflections_mm(moments)[0]
    assert (held_twice[0], held_twice[-1]) == pytest.approx((0.0, 0.0), abs=1e-9)
    assert held_twice.max() == pytest.approx(sag / 8, rel=0.02)
    np.testing.assert_allclose(model(order=order).deflections_mm(moments)[0], held_twice, atol=1e-9)


def test_deflections_about_both_axes_add_at_right_angles() -> None:
    weak, strong = np.zeros((2, 1, 2, SECTIONS))
    weak[:, 0], strong[:, 1] = 30.0, 30.0 * (WIDE_MM / THIN_MM) ** 2 * 4 / 3
    held = model(support((10, 5, -7)))
    ends = [float(held.deflections_mm(each)[0, -1]) for each in (weak, strong, weak + strong)]
    assert ends[1] == pytest.approx(ends[0] * 4 / 3)
    assert ends[2] == pytest.approx(ends[0] * 5 / 3)


def test_points_of_one_support_count_together() -> None:
    moments = np.zeros((1, 2, SECTIONS))
    moments[:, 0] = 100.0
    once, often = support((10, 5, -7)), support(*[(10, 5, -7)] * 4)
    other = support((90, 5, -7))
    found = [model(each, other).deflections_mm(moments) for each in (once, often)]
    np.testing.assert_allclose(found[0], found[1], atol=1e-9)


def test_wide_support_holds_the_slope_and_a_point_hardly_does() -> None:
    """A face 40 mm across at one end, a point at 90 mm: least squares of two displacements and two slopes."""
    moments = np.zeros((1, 2, SECTIONS))
    moments[:, 0] = 100.0
    curvature, span = 100.0 / (MODULUS_MPA * INERTIA_MM4), 80.0
    face = support((10, -15, -7), (10, 25, -7))
    rows = np.array([[1.0, 0.0], [0.0, 20.0], [1.0, span], [0.0, 1.0]])
    targets = np.array([0.0, 0.0, curvature * span**2 / 2, curvature * span])
    shift, turn = np.linalg.lstsq(rows, targets, rcond=None)[0]
    expected = curvature * LENGTH_MM**2 / 2 - shift - turn * LENGTH_MM
    found = model(face, support((90, 5, -7))).deflections_mm(moments)[0]
    assert found[-1] == pytest.approx(abs(expected), rel=0.01)
    assert found[0] == pytest.approx(abs(shift), rel=0.05)


def joined(share: float, second: Body | None = None) -> tuple[Beam, frozenset[str]]:
    """Return the beam of a strip and another one on top of it, glued over a share of its length."""
    lower, upper = strip(), second or strip(label="upper", offset_mm=THIN_MM)
    weld = glued("seam", "strip", "upper", (70.0, 5.0, -5.0), (share * LENGTH_MM, WIDE_MM, 0.0))
    scene = machine_scene(lower, upper, welds=(weld,))
    found = built_up_beam(scene, {"seam": points_of(weld)}, lower, beam_of(lower))
    return found.beam, found.members


@pytest.mark.parametrize(("share", "is_one"), [(1.0, True), (0.52, True), (0.48, False)])
def test_strips_glued_along_half_their_length_bend_as_one(share: float, is_one: bool) -> None:
    beam, members = joined(share)
    assert members == ({"strip", "upper"} if is_one else {"strip"})
    thick = 2 * THIN_MM if is_one else THIN_MM
    for section in beam.sections:
        assert section.area_mm2 == pytest.approx(WIDE_MM * thick)
        assert section.second_moments_mm4 == pytest.approx((WIDE_MM * thick**3 / 12, thick * WIDE_MM**3 / 12))
        assert section.moduli_mm3 == pytest.approx((WIDE_MM * thick**2 / 6, thick * WIDE_MM**2 / 6))
        assert section.center_mm[1:] == pytest.approx((5.0, -5.0 if is_one else -7.0))
    assert (beam.start_mm, beam.end_mm) == pytest.approx((10.0, 130.0))
    np.testing.assert_allclose([section.center_mm[0] for section in beam.sections], PLACES)


def test_stiffer_member_counts_by_its_modulus() -> None:
    """Twice as stiff: its area counts twice, and the common centre lies a third of the way."""
    upper = strip(label="upper", offset_mm=THIN_MM)
    assert upper.strength is not None
    stiff = upper.strength.model_copy(update={"modulus_mpa": 2 * MODULUS_MPA})
    beam, _ = joined(1.0, upper.model_copy(update={"strength": stiff}))
    section, area = beam.sections[0], WIDE_MM * THIN_MM
    assert section.area_mm2 == pytest.approx(3 * area)
    assert section.center_mm[2] == pytest.approx(-7.0 + THIN_MM * 2 / 3)
    moment = 3 * INERTIA_MM4 + area * (THIN_MM * 2 / 3) ** 2 + 2 * area * (THIN_MM / 3) ** 2
    assert section.second_moments_mm4[0] == pytest.approx(moment)
    assert section.moduli_mm3[0] == pytest.approx(moment / (THIN_MM * 2 / 3 + THIN_MM / 2))


def test_beam_of_shifted_strips_has_both_where_both_are() -> None:
    upper = rod("upper", (100.0, 5.0, -3.0), (LENGTH_MM, WIDE_MM, THIN_MM))
    beam, members = joined(0.7, upper)
    assert members == {"strip", "upper"}
    assert (beam.start_mm, beam.end_mm) == pytest.approx((10.0, 160.0))
    areas = [section.area_mm2 / (WIDE_MM * THIN_MM) for section in beam.sections]
    assert [round(each, 6) for each in areas] == [1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1]


@pytest.mark.parametrize(("slope_deg", "is_parallel"), [(20.0, True), (30.0, False)])
def test_only_nearly_parallel_parts_bend_as_one(slope_deg: float, is_parallel: bool) -> None:
    upper = strip(label="upper", offset_mm=THIN_MM)
    assert upper.strength is not None
    axis = (float(np.cos(np.radians(slope_deg))), 0.0, float(np.sin(np.radians(slope_deg))))
    sloped = upper.strength.beams[0].model_copy(update={"axis": axis})
    body = upper.model_copy(update={"strength": upper.strength.model_copy(update={"beams": (sloped,)})})
    assert joined(1.0, body)[1] == ({"strip", "upper"} if is_parallel else {"strip"})


def test_supports_are_the_connections_that_lead_to_the_environment() -> None:
    """A strip on a post and under a lid: the post holds it. Without any way to the base, all hold it."""
    base = block("base", (0, 0, -100), (10, 10, 10), "environment")
    post, lid = rod("post", (20, 5, -60), (10, 10, 100)), rod("lid", (100, 5, -3), (20, 20, 4))
    foot = glued("foot", "post", "base", (20, 5, -110), (10, 10, 0))
    head = glued("head", "strip", "post", (20, 5, -9), (10, 10, 0))
    cover = glued("cover", "lid", "strip", (100, 5, -5), (20, 20, 0))
    pin = joint("pin", "revolute", "base", "strip", (60, 5, -7))
    welds = {weld.label: points_of(weld) for weld in (foot, head, cover)}

    def held_at(*connections: Weld, joints: bool = False) -> list[float]:
        scene = machine_scene(base, post, lid, strip(), welds=connections, joints=(pin,) if joints else ())
        return [float(each.points_mm[:, 0].mean()) for each in supports_of(scene, welds, frozenset({"strip"}))]

    assert held_at(foot, head, cover) == pytest.approx([20.0])
    assert held_at(head, cover) == pytest.approx([20.0, 100.0])
    assert held_at(foot, head, cover, joints=True) == pytest.approx([20.0, 60.0])
    assert held_at() == []
