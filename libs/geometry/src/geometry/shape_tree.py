"""Traversal of build123d's trees of shapes."""

# pyright: reportUnknownMemberType=false
# build123d leaves the type of a shape's children and parent open.

from collections.abc import Iterator
from typing import Any, cast

from build123d import Location
from build123d.topology import Shape


def leaves(root: Shape[Any]) -> Iterator[tuple[Shape[Any], Location]]:
    """Yield every shape without children with the location of its parent in the world; nothing for an empty root."""
    if not root.children and _is_empty(root):
        return
    yield from _descend(root, Location())


def is_leaf(shape: Shape[Any]) -> bool:
    """Tell whether a shape has no children."""
    return not shape.children


def _descend(shape: Shape[Any], parent: Location) -> Iterator[tuple[Shape[Any], Location]]:
    children = cast("tuple[Shape[Any], ...]", shape.children)
    if not children:
        yield shape, parent
    for child in children:
        # build123d places children relative to their parent
        yield from _descend(child, parent if shape.is_null else parent * shape.location)


def _is_empty(shape: Shape[Any]) -> bool:
    return shape.is_null or not (shape.faces() or shape.edges() or shape.vertices())
