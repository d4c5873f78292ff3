"""How a workbench reports: what is wrong, where on the part, and by how much."""

from typing import Literal, NamedTuple

from contracts.models.design import Finding, WorkbenchRule
from contracts.models.geometry import Vector

Severity = Literal["error", "warning", "info"]
Unit = Literal["mm", "mm2", "mm3", "deg", "mm/mm", "count", ""]


class Spot(NamedTuple):
    """A place on a part."""

    face: int | None
    """Number of the face in `solid.faces()`."""
    place_mm: Vector


class Measure(NamedTuple):
    """What was measured, beside what it may be."""

    measured: float
    limit: float | None = None
    unit: Unit = ""


def report(  # noqa: PLR0913 - all that a finding may hold
    rule: WorkbenchRule,
    label: str,
    detail: str,
    *,
    at: Spot | None = None,
    measure: Measure | None = None,
    severity: Severity = "error",
) -> Finding:
    """Return a finding."""
    return Finding(
        rule=rule,
        label=label,
        detail=detail,
        severity=severity,
        face=None if at is None else at.face,
        place_mm=None if at is None else at.place_mm,
        measured=None if measure is None else measure.measured,
        limit=None if measure is None else measure.limit,
        unit="" if measure is None else measure.unit,
    )
