"""The rule for draft: upright faces must lean, or the part sticks in the mould."""

import numpy as np
from contracts.models.design import Finding
from geometry.arrays import FloatArray, as_vector
from geometry.formatting import format_mm, format_point
from parts_catalog.pricing.configuration import MouldRules

from workbenches.findings import Measurement, Position, make_finding
from workbenches.part_mesh import PartMesh

LEAST_AREA_MM2 = 0.5


def missing_draft(label: str, mesh: PartMesh, pull: FloatArray, rules: MouldRules) -> list[Finding]:
    """Report every upright face with less draft than its depth requires."""
    lean_deg = np.degrees(np.arcsin(np.abs(mesh.normals @ pull).clip(0, 1)))
    along = mesh.vertices_mm @ pull
    findings: list[Finding] = []
    for face in range(len(mesh.surfaces)):
        triangles = np.flatnonzero(mesh.face_of == face)
        upright = triangles[lean_deg[triangles] < rules.upright_below_deg]
        if mesh.areas_mm2[upright].sum() < LEAST_AREA_MM2:
            continue
        least = upright[int(np.argmin(lean_deg[upright]))]
        depth_mm = float(np.ptp(along[mesh.triangles[upright]]))
        recommended_deg = next(degrees for deepest_mm, degrees in rules.draft_ramp if depth_mm <= deepest_mm)
        measured = float(lean_deg[least])
        if measured >= max(recommended_deg, rules.draft_error_deg) - rules.slack_deg:
            continue
        is_error = measured < rules.draft_error_deg - rules.slack_deg
        limit = rules.draft_error_deg if is_error else recommended_deg
        point_mm = as_vector(mesh.vertices_mm[mesh.triangles[least]].mean(axis=0))
        detail = (
            f"{label} has a face at {format_point(point_mm)}, {format_mm(depth_mm)} deep, with a draft of "
            f"{measured:.2f} degrees to the pull direction, the {'minimum' if is_error else 'recommended minimum'} is "
            f"{limit:g} degrees; taper it"
        )
        findings.append(
            make_finding(
                "mould_draft",
                label,
                detail,
                at=Position(face, point_mm),
                measurement=Measurement(measured, limit, "deg"),
                severity="error" if is_error else "warning",
            )
        )
    return findings
