"""Walls that are too thin for a way of making."""

from contracts.models.design import Finding, WorkbenchRule
from geometry.formatting import format_mm, format_point

from workbenches.configuration import WallLimits
from workbenches.part_frame import vector_of
from workbenches.report import Measure, Spot, report
from workbenches.thickness import Thickness

SLACK_MM = 0.01
"""What the triangulation may take from a wall."""


def thin_walls(label: str, rule: WorkbenchRule, thickness: Thickness, limits: WallLimits) -> list[Finding]:
    """Report the thinnest wall if it is below a limit."""
    found = thickness.thinnest()
    if found is None or found[0] >= limits.warning_below_mm - SLACK_MM:
        return []
    thin_mm, sample = found
    is_error = thin_mm < limits.error_below_mm - SLACK_MM
    limit_mm = limits.error_below_mm if is_error else limits.warning_below_mm
    spot = vector_of(thickness.samples.places_mm[sample])
    ask = "at least" if is_error else "better at least"
    detail = (
        f"{label} has a wall of {format_mm(thin_mm)} at {format_point(spot)}, {ask} {format_mm(limit_mm)} is needed; "
        f"make it thicker by {format_mm(limit_mm - thin_mm)}"
    )
    return [
        report(
            rule,
            label,
            detail,
            at=Spot(int(thickness.samples.faces[sample]), spot),
            measure=Measure(thin_mm, limit_mm, "mm"),
            severity="error" if is_error else "warning",
        )
    ]
