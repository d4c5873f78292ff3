"""Collision shapes of many bodies; those that are known already are not computed again."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from contracts.models.design import Finding
from geometry.collision.decomposition import collision_geometry
from geometry.collision.results import CollisionGeometry, NotDecomposableError
from geometry.display_mesh import TooManyTrianglesError
from geometry.formatting import format_point

from design_rules.bodies.solid_bodies import SolidBody


@dataclass(frozen=True)
class CollisionShapes:
    """Collision geometry of bodies, and findings about those that have none."""

    by_label: Mapping[str, CollisionGeometry]
    computed: Mapping[str, CollisionGeometry]
    """By source: only geometry that was not known before."""
    findings: tuple[Finding, ...]


def collision_shapes_of(bodies: Iterable[SolidBody], known: Mapping[str, CollisionGeometry]) -> CollisionShapes:
    """Return the collision geometry of every body, or a finding about it; `known` is by source."""
    by_label: dict[str, CollisionGeometry] = {}
    computed: dict[str, CollisionGeometry] = {}
    findings: list[Finding] = []
    for body in bodies:
        cached = known.get(body.source) or computed.get(body.source)
        try:
            by_label[body.label] = cached or collision_geometry(body.solid)
        except (NotDecomposableError, TooManyTrianglesError) as error:
            detail = f"{body.label} around {format_point(body.bounds.center_mm)}: {error}"
            findings.append(Finding(rule="no_collision_geometry", label=body.label, detail=detail))
            continue
        if cached is None and body.source:
            computed[body.source] = by_label[body.label]
    return CollisionShapes(by_label, computed, tuple(findings))
