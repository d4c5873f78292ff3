"""The benchmark's world: built once from its script, read again wherever it is needed."""

from collections.abc import Sequence

from build123d import Compound, Solid
from contracts.models.benchmark import Solid as SolidWords
from contracts.models.mechanism import Mechanism
from geometry.occt.brep import read_brep, write_compound

from cad_worker.environment_script import EnvironmentFaultyError, ScriptFailedError, fixtures_of, run_environment
from cad_worker.exports.colors import ENVIRONMENT, finish_of
from cad_worker.exports.gltf import assembly_glb
from cad_worker.exports.step import assembly_step
from cad_worker.job_protocol import (
    EnvironmentBuild,
    EnvironmentFault,
    EnvironmentFiles,
    EnvironmentGeometry,
    EnvironmentInVariant,
    EnvironmentScript,
    EnvironmentScriptResult,
)
from cad_worker.scene.collision_shapes import CollisionShapes, collision_shapes_of
from cad_worker.validation.bodies import EnvironmentSolid, environment_digest, read_environment
from cad_worker.validation.rules.world import check_environment, check_environment_mechanism

LABEL = "environment"


def make_environment(request: EnvironmentScript) -> EnvironmentScriptResult:
    """Run the script and hand over what it makes. Nothing that this child says is believed but the geometry."""
    try:
        return EnvironmentScriptResult(design=run_environment(request.code, request.variant))
    except ScriptFailedError as failure:
        return EnvironmentScriptResult(reason=failure.reason, problem=str(failure))


def build_environment(request: EnvironmentInVariant) -> EnvironmentBuild:
    """Check the world that a script has made, and return its files or its fault."""
    mechanism = request.design.mechanism
    try:
        fixtures = fixtures_of(request.design)
        check_environment(fixtures, request.variant)
        check_environment_mechanism(fixtures, mechanism)
        geometry = _geometry(fixtures, mechanism)
        shaped = _shaped(geometry)
    except EnvironmentFaultyError as fault:
        return EnvironmentBuild(fault=EnvironmentFault(reason=fault.reason, detail=fault.detail))
    finishes = [finish_of(each.material.id, each.label) if each.material else ENVIRONMENT for each in fixtures]
    files = EnvironmentFiles(
        geometry=geometry,
        step=assembly_step(LABEL, fixtures, finishes),
        glb=assembly_glb(LABEL, fixtures, finishes, kind="environment"),
    )
    return EnvironmentBuild(files=files, computed=dict(shaped.computed))


def _shaped(geometry: EnvironmentGeometry) -> CollisionShapes:
    """Return the collision geometry of the world as everybody will read it; raise `EnvironmentFaultyError`."""
    shaped = collision_shapes_of(read_environment(geometry), {})
    if shaped.findings:
        raise EnvironmentFaultyError("not_build123d", shaped.findings[0].detail)
    return shaped


def _geometry(fixtures: Sequence[EnvironmentSolid], mechanism: Mechanism) -> EnvironmentGeometry:
    return EnvironmentGeometry(
        brep=write_compound([fixture.solid for fixture in fixtures]),
        solids=tuple(_words(fixture) for fixture in fixtures),
        digest=environment_digest(fixtures, mechanism),
        mechanism=mechanism,
    )


def _words(fixture: EnvironmentSolid) -> SolidWords:
    return SolidWords(
        label=fixture.label,
        box=fixture.bounds,
        material_id=fixture.material.id if fixture.material else None,
        catalog_id=fixture.catalog_id,
        is_mountable=fixture.is_mountable,
    )


def load_environment(geometry: EnvironmentGeometry) -> Compound:
    """Return the world as build123d knows it: a Compound `environment` with labelled solids as children."""
    solids: list[Solid] = []
    for words, solid in zip(geometry.solids, read_brep(geometry.brep).solids, strict=True):
        solid.label = words.label
        said = {"material_id": words.material_id, "catalog_id": words.catalog_id, "mountable": words.is_mountable}
        vars(solid)["metadata"] = {key: value for key, value in said.items() if value is not None}
        solids.append(solid)
    return Compound(label=LABEL, children=solids)
