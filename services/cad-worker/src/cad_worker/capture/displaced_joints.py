"""Joints that a cut or a sum displaced: build123d copies them to the new shape as if it were where the old one was."""

# pyright: reportUnknownMemberType=false
# build123d leaves the types of joints and attributes open.

from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any, cast

from build123d.topology import Joint as AnyJoint
from build123d.topology import Shape

Copying = Callable[..., None]
MARK = "displaced_mm"
LEAST_MM = 1e-3


def mark_displaced_joints() -> None:
    """Mark in this process each joint that build123d displaces from now on; `displaced_mm` reads the mark."""
    original = cast("Copying", Shape.copy_attributes_to)
    if hasattr(original, "__wrapped__"):
        return

    @wraps(original)
    def copy_attributes_to(self: Shape[Any], target: Shape[Any], exceptions: Iterable[str] | None = None) -> None:
        kept = dict(_joints(target))
        original(self, target, exceptions)
        before = _joints(self)
        for label, joint in _joints(target).items():
            if label not in kept and label in before:
                apart_mm = (joint.location.position - before[label].location.position).length
                setattr(joint, MARK, displaced_mm(before[label]) + apart_mm)

    Shape.copy_attributes_to = copy_attributes_to


def displaced_mm(joint: AnyJoint) -> float:
    """Return by how much a joint was displaced when a new shape was made of its own; 0 for rounding."""
    mark = vars(joint).get(MARK, 0.0)
    return mark if isinstance(mark, float) and mark > LEAST_MM else 0.0


def _joints(shape: Shape[Any]) -> dict[str, AnyJoint]:
    bound = vars(shape).get("joints")
    return bound if isinstance(bound, dict) else {}  # pyright: ignore[reportUnknownVariableType]
