"""Bosses: hollow pillars for screws, whose walls sink where they are too thick."""

import numpy as np
from contracts.models.design import Finding
from geometry.formatting import format_mm, format_point

from workbenches.configuration import MouldRules
from workbenches.moulding.wall_thickness import SLACK_MM, Walls
from workbenches.part_frame import vector_of
from workbenches.report import Measure, Spot, report
from workbenches.round_faces import RoundFace

COAXIAL_MM = 0.05
PARALLEL = 0.9999


def bosses(label: str, rounds: list[RoundFace], walls: Walls, rules: MouldRules) -> list[Finding]:
    """Report pillars round a hole whose wall is thicker than a rib may be."""
    found: list[Finding] = []
    limit_mm = rules.rib_warning * walls.nominal_mm
    pillars = [each for each in rounds if each.is_all_round and not each.is_inner]
    for pillar in pillars:
        inside = [hole for hole in rounds if hole.is_inner and hole.is_all_round and _is_coaxial(pillar, hole)]
        for hole in inside:
            wall_mm = pillar.radius_mm - hole.radius_mm
            if not limit_mm + SLACK_MM < wall_mm < pillar.radius_mm:
                continue
            spot = vector_of(pillar.place_mm)
            detail = (
                f"{label} has a boss with a wall of {format_mm(wall_mm)} at {format_point(spot)} on walls of {format_mm(walls.nominal_mm)}; "
                f"{format_mm(limit_mm)} leaves no sink mark: make its outside thinner, and stiffen it with ribs"
            )
            found.append(
                report(
                    "mould_boss",
                    label,
                    detail,
                    at=Spot(pillar.face, spot),
                    measure=Measure(wall_mm, limit_mm, "mm"),
                    severity="info",
                )
            )
    return found


def _is_coaxial(one: RoundFace, other: RoundFace) -> bool:
    apart = other.axis_point_mm - one.axis_point_mm
    aside = apart - one.axis * float(apart @ one.axis)
    return abs(float(one.axis @ other.axis)) > PARALLEL and float(np.linalg.norm(aside)) < COAXIAL_MM
