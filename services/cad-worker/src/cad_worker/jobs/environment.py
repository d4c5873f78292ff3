"""Jobs on an environment: run its script, check and export the result, and load it in a kernel."""

from collections.abc import Sequence

from build123d import Compound, Solid
from contracts.models.benchmark import Solid as SolidData
from contracts.models.geometry import Vector
from contracts.models.mechanism import Mechanism
from design_rules.bodies.collision_shapes import CollisionShapes, collision_shapes_of
from design_rules.bodies.multibody import MultibodySystem
from design_rules.bodies.solid_bodies import EnvironmentSolid, environment_digest, read_environment
from design_rules.design_data import EnvironmentGeometry
from design_rules.rules.world import EnvironmentFaultyError, check_environment, check_environment_mechanism
from geometry.occt.brep import read_brep, write_compound

from cad_worker.environment_script import (
    ScriptFailedError,
    fixtures_of,
    payload_hulls,
    run_environment,
)
from cad_worker.exports.colors import ENVIRONMENT, finish_of
from cad_worker.exports.gltf import assembly_glb
from cad_worker.exports.step import assembly_step
from cad_worker.job_protocol import (
    EnvironmentBuild,
    EnvironmentCheck,
    EnvironmentFault,
    EnvironmentFiles,
    EnvironmentScript,
    EnvironmentScriptResult,
    EnvironmentShapes,
)
from cad_worker.scene.scene import scene_of_system

LABEL = "environment"


def run_environment_script(request: EnvironmentScript) -> EnvironmentScriptResult:
    """Run the script and return what it builds. The host trusts only the geometry of the reply."""
    try:
        design, payloads = run_environment(request.code, request.variant)
        return EnvironmentScriptResult(design=design, payloads=payloads)
    except ScriptFailedError as failure:
        return EnvironmentScriptResult(reason=failure.reason, problem=str(failure))


def build_environment(request: EnvironmentCheck) -> EnvironmentBuild:
    """Check the environment that a script has built, and return its files or its fault."""
    mechanism = request.design.mechanism
    try:
        fixtures = fixtures_of(request.design)
        geometry = _geometry(fixtures, mechanism, payload_hulls(request.payloads, request.variant))
        variant = geometry.with_payload(request.variant)
        check_environment(fixtures, variant)
        check_environment_mechanism(fixtures, mechanism)
        system = _system(geometry)
        shaped = _shaped(system)
    except EnvironmentFaultyError as fault:
        return EnvironmentBuild(fault=EnvironmentFault(reason=fault.reason, detail=fault.detail))
    finishes = [finish_of(each.material.id, each.label) if each.material else ENVIRONMENT for each in fixtures]
    files = EnvironmentFiles(
        geometry=geometry,
        scene=scene_of_system(variant, system, shaped),
        step=assembly_step(LABEL, fixtures, finishes),
        glb=assembly_glb(LABEL, fixtures, finishes, kind="environment"),
    )
    return EnvironmentBuild(files=files, computed=dict(shaped.computed))


def environment_shapes(request: EnvironmentGeometry) -> EnvironmentShapes:
    """Return the collision shapes of an environment that was built before."""
    return EnvironmentShapes(computed=dict(_shaped(_system(request)).computed))


def _system(geometry: EnvironmentGeometry) -> MultibodySystem:
    """Return the bodies of the environment as every later reader sees them: from the stored B-rep."""
    return MultibodySystem({solid.label: solid for solid in read_environment(geometry)}, geometry.mechanism)


def _shaped(system: MultibodySystem) -> CollisionShapes:
    """Return the collision shapes of the environment; raise `EnvironmentFaultyError`."""
    shaped = collision_shapes_of(system.bodies.values(), {})
    if shaped.findings:
        raise EnvironmentFaultyError("not_build123d", shaped.findings[0].detail)
    return shaped


def _geometry(
    fixtures: Sequence[EnvironmentSolid], mechanism: Mechanism, hulls_mm: tuple[tuple[Vector, ...], ...]
) -> EnvironmentGeometry:
    return EnvironmentGeometry(
        brep=write_compound([fixture.solid for fixture in fixtures]),
        solids=tuple(_data_of(fixture) for fixture in fixtures),
        digest=environment_digest(fixtures, mechanism),
        mechanism=mechanism,
        payload_hull_mm=hulls_mm[0],
        more_payload_hulls_mm=hulls_mm[1:] if any(hulls_mm[1:]) else (),
    )


def _data_of(fixture: EnvironmentSolid) -> SolidData:
    return SolidData(
        label=fixture.label,
        box=fixture.bounds,
        material_id=fixture.material.id if fixture.material else None,
        catalog_id=fixture.catalog_id,
        is_mountable=fixture.is_mountable,
        is_loose=fixture.is_loose,
        is_moving=fixture.is_moving,
    )


def load_environment(geometry: EnvironmentGeometry) -> Compound:
    """Return the environment as a build123d Compound with labelled solids as children."""
    solids: list[Solid] = []
    for data, solid in zip(geometry.solids, read_brep(geometry.brep).solids, strict=True):
        solid.label = data.label
        given = {"material_id": data.material_id, "catalog_id": data.catalog_id, "mountable": data.is_mountable}
        metadata = given | dict.fromkeys(["loose"] * data.is_loose + ["moving"] * data.is_moving, True)
        vars(solid)["metadata"] = {key: value for key, value in metadata.items() if value is not None}
        solids.append(solid)
    return Compound(label=LABEL, children=solids)
