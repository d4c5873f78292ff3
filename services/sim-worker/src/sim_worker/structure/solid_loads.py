"""What acts on the exact solid of a part at one instant, as actions for finite elements."""

from dataclasses import dataclass

import numpy as np
from contracts.models.scene import Scene, Weld
from strength.models import Action, BallRegion, BoxRegion, Load

from sim_worker.structure.part_model import AppliedLoads, PartModel
from sim_worker.structure.section_loads import PointLoad
from sim_worker.structure.supports import grounded_without
from sim_worker.units import Floats

SCREW_MM = 3.0
"""Radius of the surface around a screw that bears its load."""
JOINT_MM = 8.0
"""The same around a joint's anchor."""
CONTACT_MM = 1.0
"""The same around a contact."""
GAP_MM, FLAT = 0.25, 0.15
"""How far a part's surface may be from the middle of the glue; less for small faces, so that they stay flat."""
LEAST_N, LEAST_N_MM = 1e-3, 1e-2
"""Loads below both are left out."""
DIGITS = 3
"""Of a load: an analysis is kept for loads that are equal so far."""
MM_PER_M = 1000.0


@dataclass(frozen=True)
class SolidLoads:
    """The connections of one part, and what they and contacts pass on to it."""

    label: str
    welds: tuple[tuple[int, float, Weld, bool], ...]
    """Column among the judged welds, sign, the weld, and whether it leads to the ground."""

    @classmethod
    def of(cls, scene: Scene, part: PartModel, judged: tuple[Weld, ...]) -> "SolidLoads":
        """Return the connections of a part."""
        grounded = grounded_without(scene, frozenset({part.label}))
        welds = [
            (column, 1.0 if weld.first == part.label else -1.0, weld, _other(weld, part.label) in grounded)
            for column, weld in enumerate(judged)
            if part.label in (weld.first, weld.second)
        ]
        return cls(part.label, tuple(welds))

    def severities(self, loads: AppliedLoads) -> Floats:
        """Return (n,) how much acts on the part: the sum of all forces in N, and of moments in N cm."""
        total: Floats = np.zeros(len(loads.welds))
        for column, *_ in self.welds:
            total += _lengths(loads.welds[:, column, :3]) + 100 * _lengths(loads.welds[:, column, 3:])
        for point in loads.points[self.label]:
            total += _lengths(point.forces) + _lengths(point.moments) / 10
        return total

    def at(self, loads: AppliedLoads, row: int) -> tuple[Action, ...]:
        """Return what acts at one instant; the contact, if there is one, comes last."""
        found: list[Load] = []
        for column, sign, weld, is_grounded in self.welds:
            force, moment = sign * loads.welds[row, column, :3], sign * MM_PER_M * loads.welds[row, column, 3:]
            found += _of_weld(weld, force, moment, is_seat=is_grounded)
        joints = loads.points[self.label]
        found += [_of_point(each, row, JOINT_MM) for each in joints if not each.is_contact]
        found += [_of_point(each, row, CONTACT_MM) for each in joints if each.is_contact]
        return tuple(each for each in found if _is_felt(each) or each.is_seat)


def _of_weld(weld: Weld, force: Floats, moment: Floats, *, is_seat: bool) -> list[Load]:
    if weld.face is not None:
        first, second, third = weld.face.second_moments_mm4
        spreads = np.maximum([second + third - first, first + third - second, first + second - third], 0.0) / 2
        half = np.sqrt(12 * spreads / weld.face.area_mm2) / 2
        thin = int(np.argmin(half))
        half[thin] += min(GAP_MM, FLAT * float(np.sort(half)[1]))
        region = BoxRegion(center_mm=weld.anchor_mm, axes=weld.face.axes, half_mm=_vector(half))
        return [_load(region, force, moment, is_stiff=True, is_seat=is_seat)]
    places = weld.places_mm or (weld.anchor_mm,)
    anchor, points = np.array(weld.anchor_mm), np.array(places)
    if len(points) == 1:
        about = moment + np.cross(anchor - points[0], force)
        region = BallRegion(center_mm=places[0], radius_mm=SCREW_MM)
        return [_load(region, force, about, is_stiff=True, is_seat=is_seat)]
    arms = points - points.mean(axis=0)
    about = moment + np.cross(anchor - points.mean(axis=0), force)
    inertia = (arms**2).sum() * np.eye(3) - arms.T @ arms
    turn = np.asarray(np.linalg.pinv(inertia, rcond=1e-9), dtype=np.float64) @ about
    rest = (about - inertia @ turn) / len(points)
    return [
        _load(
            BallRegion(center_mm=place, radius_mm=SCREW_MM),
            force / len(points) + np.cross(turn, arm),
            rest,
            is_stiff=True,
            is_seat=is_seat,
        )
        for place, arm in zip(places, arms, strict=True)
    ]


def _of_point(load: PointLoad, row: int, radius_mm: float) -> Load:
    region = BallRegion(center_mm=_vector(load.points_mm[row]), radius_mm=radius_mm)
    found = _load(region, load.forces[row], load.moments[row], is_stiff=not load.is_contact, is_seat=False)
    return found.model_copy(update={"is_contact": load.is_contact})


def _load(region: BoxRegion | BallRegion, force: Floats, moment: Floats, *, is_stiff: bool, is_seat: bool) -> Load:
    return Load(region=region, force_n=_vector(force), moment_n_mm=_vector(moment), is_stiff=is_stiff, is_seat=is_seat)


def _is_felt(load: Load) -> bool:
    force, moment = np.linalg.norm(load.force_n), np.linalg.norm(load.moment_n_mm)
    return bool(force > LEAST_N or moment > LEAST_N_MM)


def _other(weld: Weld, label: str) -> str:
    return weld.second if weld.first == label else weld.first


def _lengths(vectors: Floats) -> Floats:
    found: Floats = np.sqrt((vectors**2).sum(axis=1))
    return found


def _vector(values: Floats) -> tuple[float, float, float]:
    x, y, z = (float(f"{value:.{DIGITS + 3}g}") for value in values)
    return x, y, z
