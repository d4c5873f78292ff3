"""What acts on the exact solid of a part at one instant, as actions for finite elements."""

import numpy as np
from contracts.models.scene import Scene, Weld
from strength.models import Action, BallRegion, BoxRegion, Load

from sim_worker.structure.part_model import AppliedLoads
from sim_worker.structure.section_loads import PointLoad, crossed
from sim_worker.structure.supports import grounded_without
from sim_worker.structure.thin_plates import NEAR_MM, intervals, triangles_of
from sim_worker.units import Floats

SCREW_MM = 3.0
"""Radius of the surface around a screw that bears its load."""
JOINT_MM = 8.0
"""The same around a joint's anchor."""
CONTACT_MM = 0.3
"""The same around a contact; the library widens it to half the thickness."""
GAP_MM, FLAT = 0.25, 0.15
"""How far a part's surface may be from the middle of the glue; less for small faces, so that they stay flat."""
LEAST_N, LEAST_N_MM = 1e-3, 1e-2
"""Loads below both are left out."""
DIGITS = 6
MM_PER_M = 1000.0


class SolidLoads:
    """The connections of a scene's parts, and what they and contacts pass on to them."""

    def __init__(self, scene: Scene, judged: tuple[Weld, ...]) -> None:
        """`judged`: the welds whose loads are known, in this order."""
        self._scene, self._judged = scene, judged
        self._bodies = {body.label: body for body in scene.bodies}

    def at(self, label: str, loads: AppliedLoads, spot: float) -> tuple[Action, ...]:
        """Return what acts on a part; `loads` have one row, `spot` is that of contacts (`strength.models.Load`)."""
        grounded = grounded_without(self._scene, frozenset({label}))
        found: list[Load] = []
        for column, weld in enumerate(self._judged):
            if label not in (weld.first, weld.second):
                continue
            other, sign = (weld.second, 1.0) if weld.first == label else (weld.first, -1.0)
            force, moment = sign * loads.welds[0, column, :3], sign * MM_PER_M * loads.welds[0, column, 3:]
            neighbor = triangles_of(self._bodies[other]).astype("<f4").tobytes() if weld.face is not None else b""
            found += _of_weld(weld, force, moment, neighbor, is_seat=other in grounded)
        found += [_of_point(each, JOINT_MM) for each in loads.points[label] if not each.is_contact]
        triangles = triangles_of(self._bodies[label])
        found += [_of_contact(each, triangles, spot) for each in loads.points[label] if each.is_contact]
        return tuple(each for each in found if _is_felt(each) or each.is_seat)


def _of_weld(weld: Weld, force: Floats, moment: Floats, neighbor: bytes, *, is_seat: bool) -> list[Load]:
    if weld.face is not None:
        first, second, third = weld.face.second_moments_mm4
        spreads = np.maximum([second + third - first, first + third - second, first + second - third], 0.0) / 2
        half = np.sqrt(12 * spreads / weld.face.area_mm2) / 2
        half[int(np.argmin(half))] += min(GAP_MM, FLAT * float(np.sort(half)[1]))
        region = BoxRegion(center_mm=weld.anchor_mm, axes=weld.face.axes, half_mm=_vector(half), neighbor_mm=neighbor)
        return [_load(region, force, moment, is_seat=is_seat)]
    points = np.array(weld.places_mm or (weld.anchor_mm,))
    arms = points - points.mean(axis=0)
    about = moment + np.cross(np.array(weld.anchor_mm) - points.mean(axis=0), force)
    inertia = (arms**2).sum() * np.eye(3) - arms.T @ arms
    turn: Floats = np.asarray(np.linalg.pinv(inertia, rcond=1e-9), dtype=np.float64) @ about
    rest: Floats = (about - inertia @ turn) / len(points)
    forces: Floats = force / len(points) + crossed(np.tile(turn, (len(points), 1)), arms)
    return [
        _load(BallRegion(center_mm=_vector(place), radius_mm=SCREW_MM), own, rest, is_seat=is_seat)
        for place, own in zip(points, forces, strict=True)
    ]


def _of_point(load: PointLoad, radius_mm: float) -> Load:
    region = BallRegion(center_mm=_vector(load.points_mm[0]), radius_mm=radius_mm)
    return _load(region, load.forces[0], load.moments[0], is_seat=False)


def _of_contact(load: PointLoad, triangles: Floats, spot: float) -> Load:
    """Return what presses on a part; a sheet on a block is as thick as the sheet there."""
    changes: dict[str, object] = {"is_stiff": False, "spot": spot}
    if newtons := float(np.linalg.norm(load.forces[0])):
        (inside,) = intervals(triangles, load.points_mm, load.forces[0] / newtons)
        under = next((high for low, high in inside if low < NEAR_MM and high > NEAR_MM), None)
        changes["thickness_mm"] = under
    return _of_point(load, CONTACT_MM).model_copy(update=changes)


def _load(region: BoxRegion | BallRegion, force: Floats, moment: Floats, *, is_seat: bool) -> Load:
    """Return a load; how screws, joints and contacts dent the part is for their own ratings."""
    return Load(
        region=region,
        force_n=_vector(force),
        moment_n_mm=_vector(moment),
        is_stiff=True,
        is_contact=isinstance(region, BallRegion),
        is_seat=is_seat,
    )


def _is_felt(load: Load) -> bool:
    force, moment = np.linalg.norm(load.force_n), np.linalg.norm(load.moment_n_mm)
    return bool(force > LEAST_N or moment > LEAST_N_MM)


def _vector(values: Floats) -> tuple[float, float, float]:
    x, y, z = (float(f"{value:.{DIGITS}g}") for value in values)
    return x, y, z
