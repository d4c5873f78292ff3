"""What `utils` asks of geometry, answered beside agent code."""

# pyright: reportUnknownMemberType=false
# build123d leaves the type of a shape's parent open.

import sys
from collections.abc import Iterator, Sequence
from importlib import resources
from itertools import combinations, product
from typing import Any, cast

from build123d import Location, Part, Solid
from build123d.topology import Shape
from geometry.shape_tree import leaves
from kernel.api import mechanism_api
from kernel.api.mechanism_api import InvalidMechanismError

from cad_worker.capture.joints import are_movably_joined
from cad_worker.capture.placed_shapes import PlacedShape
from cad_worker.catalog_shapes.bought_parts import bought_part
from cad_worker.validation.bodies import SolidBody
from cad_worker.validation.distances import can_be_glued


def lend_words() -> None:
    """Let a script that runs in this process, outside of every session, import the words of `utils`."""
    baked = str(resources.files("kernel") / "baked")
    if baked not in sys.path:
        sys.path.append(baked)
    mechanism_api.connect_shapes(KernelShapes())


class KernelShapes:
    """Implements `kernel.api.mechanism_api.Shapes`."""

    def catalog_part(self, part_id: str) -> Part:
        """Return what is sold under an id."""
        return bought_part(part_id)

    def touching(self, things: Sequence[object], to: object) -> Sequence[tuple[str, str]]:
        """Return the labels of all pairs that lie upon each other, and that no moving joint joins."""
        own = [each for thing in things for each in _bodies(thing)]
        held = {id(placed.shape) for placed, _ in own}
        world = [] if to is None else [each for each in _bodies(to) if id(each[0].shape) not in held]
        pairs = [*combinations(own, 2), *product(own, world)]
        return [
            (first.label, second.label)
            for (first, one), (second, other) in pairs
            if can_be_glued(one, other) and not are_movably_joined(first.shape, second.shape)
        ]


def _bodies(thing: object) -> Iterator[tuple[PlacedShape, SolidBody]]:
    """Yield each part of a shape, or of a list of shapes, as it stands in the world."""
    if isinstance(thing, list | tuple):
        for each in cast("list[object]", thing):
            yield from _bodies(each)
        return
    if not isinstance(thing, Shape):
        raise InvalidMechanismError(f"a {type(thing).__name__} is no build123d shape; hand over parts and assemblies")
    root = cast("Shape[Any]", thing)
    around = _around(root)
    for shape, location in leaves(root):
        placed = PlacedShape(shape, around * location)
        yield placed, SolidBody(placed.label, _solid(placed))


def _around(shape: Shape[Any]) -> Location:
    """Return where a shape's parents are: build123d places children relative to them."""
    parent = cast("Shape[Any] | None", shape.parent)
    if parent is None:
        return Location()
    return _around(parent) if parent.is_null else _around(parent) * parent.location


def _solid(placed: PlacedShape) -> Solid:
    solids = [] if placed.shape.is_null else list(placed.shape.solids())
    if len(solids) != 1:
        raise InvalidMechanismError(
            f"{placed.label[:80]!r} holds {len(solids)} solids, exactly 1 is needed; make each solid a part of its own"
        )
    return placed.parent_location * solids[0]
