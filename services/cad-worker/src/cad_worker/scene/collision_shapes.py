"""Collision geometry of many bodies: what is known already is not computed again."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from contracts.models.design import Finding
from geometry.collision.decomposition import collision_geometry
from geometry.collision.results import CollisionGeometry, NotDecomposableError
from geometry.display_mesh import TooManyTrianglesError
from geometry.formatting import format_point

from cad_worker.validation.bodies import Block


@dataclass(frozen=True)
class Shaped:
    """What came of it."""

    geometry: Mapping[str, CollisionGeometry]
    """By label."""
    computed: Mapping[str, CollisionGeometry]
    """By source: what was not known."""
    findings: tuple[Finding, ...]


def shape(bodies: Iterable[Block], known: Mapping[str, CollisionGeometry]) -> Shaped:
    """Return the collision geometry of every body, or a finding about it."""
    geometry: dict[str, CollisionGeometry] = {}
    computed: dict[str, CollisionGeometry] = {}
    findings: list[Finding] = []
    for body in bodies:
        found = known.get(body.source) or computed.get(body.source)
        try:
            geometry[body.label] = found or collision_geometry(body.solid)
        except (NotDecomposableError, TooManyTrianglesError) as error:
            findings.append(_finding(body, error))
            continue
        if found is None and body.source:
            computed[body.source] = geometry[body.label]
    return Shaped(geometry, computed, tuple(findings))


def _finding(body: Block, error: Exception) -> Finding:
    detail = f"{body.label} around {format_point(body.around.center_mm)}: {error}"
    return Finding(rule="no_collision_geometry", label=body.label, detail=detail)
