"""Shapes and where they are in the world."""

# pyright: reportUnknownMemberType=false
# build123d leaves the type of a shape's children open.

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

from build123d import Location
from build123d.topology import Shape
from geometry.shape_tree import leaves


@dataclass(frozen=True, eq=False)
class Placed:
    """A shape without children."""

    shape: Shape[Any]
    around: Location
    """Where its parent is in the world."""

    @property
    def label(self) -> str:
        """What it is called; an agent may have put anything there."""
        return str(self.shape.label)

    @property
    def location(self) -> Location:
        """Where it is in the world. Only of a shape that is not null."""
        return self.around * self.shape.location


def placed(root: Shape[Any]) -> tuple[Placed, ...]:
    """Return every shape without children that has geometry."""
    return tuple(Placed(shape, around) for shape, around in leaves(root) if not shape.is_null)


def branches(root: Shape[Any]) -> Iterator[Shape[Any]]:
    """Yield every shape that has children, the root first."""
    children = cast("tuple[Shape[Any], ...]", root.children)
    if children:
        yield root
    for child in children:
        yield from branches(child)
