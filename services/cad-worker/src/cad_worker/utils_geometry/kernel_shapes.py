"""Geometry for the mechanism functions of `utils`, computed in the kernel."""

# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false
# build123d leaves the type of a shape's parent open.
import sys
from collections.abc import Iterator, Sequence
from importlib import resources
from itertools import combinations, product
from typing import Any, cast

import numpy as np
from build123d import Location, Part, Solid
from build123d.topology import Shape
from catalog_shapes.bought_parts import bought_part
from contracts.models.benchmark import Payload, Zone
from contracts.models.geometry import Box, Vector
from design_rules.bodies.distances import box_body, can_be_glued, payload_gap_mm
from design_rules.bodies.solid_bodies import SolidBody
from geometry.formatting import format_place
from geometry.occt.brep import Contents
from geometry.occt.measures import shape_bounds
from geometry.shape_tree import leaves
from geometry.single_solid import InvalidSolidError, only_solid
from kernel.api import mechanism_api
from kernel.api.mechanism_api import InvalidMechanismError
from kernel.api.new_shapes import SET_LAST
from kernel.api.time_series import Floats

from cad_worker.capture.design import not_a_shape
from cad_worker.capture.displaced_joints import mark_displaced_joints
from cad_worker.capture.joints import are_movably_joined
from cad_worker.capture.placed_shapes import PlacedShape

MAX_MEASURED = 60
"""Poses that are measured exactly, the nearest by the bounding boxes first; each takes about a millisecond."""


def smallest_gap(payload: Payload, places_mm: Floats, quaternions: Floats, body: SolidBody) -> tuple[float, int]:
    """Return the smallest gap in mm of a payload at poses (n, 3) and (n, 4) from a body, and at which pose.

    0 where they touch. Of a path along a body, the nearest `MAX_MEASURED` poses by bounding box are measured.
    """
    low, high = np.array(body.bounds.min_mm), np.array(body.bounds.max_mm)
    outside = np.maximum(np.maximum(low - places_mm, places_mm - high), 0.0)
    reach_mm = float(np.linalg.norm(payload.corners_mm, axis=1).max()) + payload.rounding_mm
    least_mm: Floats = np.linalg.norm(outside, axis=1) - reach_mm
    nearest, at = float("inf"), 0
    for sample in np.argsort(least_mm, kind="stable")[:MAX_MEASURED]:
        if least_mm[sample] >= nearest or nearest <= 0.0:
            break
        gap = max(0.0, _gap(payload, places_mm[sample], quaternions[sample], body))
        if gap < nearest:
            nearest, at = gap, int(sample)
    return nearest, at


def _gap(payload: Payload, place_mm: Floats, quaternion: Floats, body: SolidBody) -> float:
    place: Vector = (float(place_mm[0]), float(place_mm[1]), float(place_mm[2]))
    w, x, y, z = (float(each) for each in quaternion / np.linalg.norm(quaternion))
    return payload_gap_mm(payload.model_copy(update={"start_mm": place, "start_quaternion": (w, x, y, z)}), body)


def provide_utils() -> None:
    """Make `utils` importable for a script that runs in this process, outside of a session."""
    baked = str(resources.files("kernel") / "baked")
    if baked not in sys.path:
        sys.path.append(baked)
    mechanism_api.connect_geometry(KernelShapes())
    mark_displaced_joints()


class KernelShapes:
    """Implements `kernel.api.mechanism_api.Geometry`."""

    def catalog_part(self, part_id: str) -> Part:
        """Return the bought part with this id."""
        return bought_part(part_id)

    def tray(self, size_mm: tuple[float, float, float], wall_mm: float | None, method: str, material_id: str) -> Part:
        """Return a tray, open at the top, with walls and a floor of this thickness; None: a solid block."""
        solid = Solid.make_box(*size_mm)
        if wall_mm is not None:
            x, y, z = size_mm
            hollow = Solid.make_box(x - 2 * wall_mm, y - 2 * wall_mm, z)
            solid = solid.cut(hollow.moved(Location((wall_mm, wall_mm, wall_mm)))).solids()[0]
        tray = Part(solid.wrapped, label="box")
        vars(tray)["metadata"] = {"manufacturing_method": method, "material_id": material_id}
        return tray

    def pieces(self, thing: object) -> Sequence[tuple[str, SolidBody]]:
        """Return the labelled solids of parts, assemblies and zones, in world coordinates."""
        if isinstance(thing, Zone | Box):
            label, box = (thing.label, thing.box) if isinstance(thing, Zone) else ("zone", thing)
            return [(label, box_body(label, box))]
        return [(placed.label, body) for placed, body in _bodies(thing)]

    def clearance(self, payload: Payload, places_mm: Floats, quaternions: Floats, piece: object) -> tuple[float, int]:
        """Return the smallest gap of a payload at poses (n, 3), (n, 4) from one of `pieces`, and at which pose."""
        return smallest_gap(payload, places_mm, quaternions, cast("SolidBody", piece))

    def place(self, thing: object) -> str:
        """Return size and centre of a shape as text; empty for anything else."""
        bounds = (
            shape_bounds(cast("Shape[Any]", thing).wrapped) if isinstance(thing, Shape) and not thing.is_null else None
        )
        return "" if bounds is None else format_place(bounds)

    def touching(self, things: Sequence[object], to: object) -> Sequence[tuple[str, str]]:
        """Return the labels of all pairs that touch and that no moving joint connects."""
        own = [each for thing in things for each in _bodies(thing)]
        for placed, body in own:
            if not placed.label:
                kind, place = type(placed.shape).__name__, format_place(body.bounds)
                raise InvalidMechanismError(f"a {kind} of {place} has no label; {SET_LAST}")
        own_ids = {id(placed.shape) for placed, _ in own}
        others = [] if to is None else [each for each in _bodies(to) if id(each[0].shape) not in own_ids]
        pairs = [*combinations(own, 2), *product(own, others)]
        return [
            (first.label, second.label)
            for (first, one), (second, other) in pairs
            if can_be_glued(one, other) and not are_movably_joined(first.shape, second.shape)
        ]


def _bodies(thing: object) -> Iterator[tuple[PlacedShape, SolidBody]]:
    """Yield each part of a shape, or of a list of shapes, in world coordinates."""
    if isinstance(thing, list | tuple):
        for each in cast("list[object]", thing):
            yield from _bodies(each)
        return
    if not isinstance(thing, Shape):
        raise InvalidMechanismError(not_a_shape(thing, "pass parts and assemblies"))
    root = cast("Shape[Any]", thing)
    parents = _location_of_parents(root)
    for shape, location in leaves(root):
        placed = PlacedShape(shape, parents * location)
        yield placed, SolidBody(placed.label, _solid(placed))


def _location_of_parents(shape: Shape[Any]) -> Location:
    """Return the location of a shape's parents: build123d places children relative to them."""
    parent = cast("Shape[Any] | None", shape.parent)
    if parent is None:
        return Location()
    location = _location_of_parents(parent)
    return location if parent.is_null else location * parent.location


def _solid(placed: PlacedShape) -> Solid:
    solids = () if placed.shape.is_null else tuple(placed.shape.solids())
    try:
        return placed.parent_location * only_solid(Contents(solids, others=0))
    except InvalidSolidError as error:
        raise InvalidMechanismError(f"{placed.label[:80]!r} {error}") from error
