"""Findings of workbenches, with the position on the part and the measured value."""

from typing import Literal, NamedTuple

from contracts.models.design import Finding, WorkbenchRule
from contracts.models.geometry import Vector

Severity = Literal["error", "warning", "info"]
Unit = Literal["mm", "mm2", "mm3", "deg", "mm/mm", "count", ""]


class Position(NamedTuple):
    """A point on a part."""

    face: int | None
    """Index of the face in `solid.faces()`."""
    point_mm: Vector


class Measurement(NamedTuple):
    """A measured value and its limit."""

    measured: float
    limit: float | None = None
    unit: Unit = ""


def make_finding(  # noqa: PLR0913 - all fields of a finding
    rule: WorkbenchRule,
    label: str,
    detail: str,
    *,
    at: Position | None = None,
    measurement: Measurement | None = None,
    severity: Severity = "error",
) -> Finding:
    """Return a finding with its optional fields."""
    return Finding(
        rule=rule,
        label=label,
        detail=detail,
        severity=severity,
        face=None if at is None else at.face,
        place_mm=None if at is None else at.point_mm,
        measured=None if measurement is None else measurement.measured,
        limit=None if measurement is None else measurement.limit,
        unit="" if measurement is None else measurement.unit,
    )
