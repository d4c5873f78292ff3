"""Leaf shapes of a build123d tree with their location in the world."""

# pyright: reportUnknownMemberType=false
# build123d leaves the type of a shape's children open.

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

from build123d import Location
from build123d.topology import Shape
from contracts.models.label import label_from
from geometry.shape_tree import leaves


@dataclass(frozen=True, eq=False)
class PlacedShape:
    """A shape without children."""

    shape: Shape[Any]
    parent_location: Location
    """Location of its parent in the world."""

    @property
    def label(self) -> str:
        """Its label, with `_` for blanks; an agent may have assigned anything."""
        return label_from(str(self.shape.label))

    @property
    def location(self) -> Location:
        """Its location in the world. Only of a shape that is not null."""
        return self.parent_location * self.shape.location


def placed_shapes(root: Shape[Any]) -> tuple[PlacedShape, ...]:
    """Return every shape without children that has geometry."""
    return tuple(PlacedShape(shape, location) for shape, location in leaves(root) if not shape.is_null)


def groups(root: Shape[Any]) -> Iterator[Shape[Any]]:
    """Yield every shape that has children, the root first."""
    children = cast("tuple[Shape[Any], ...]", root.children)
    if children:
        yield root
    for child in children:
        yield from groups(child)
