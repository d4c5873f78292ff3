"""The benchmark's world: built once from its script, read again wherever it is needed."""

from build123d import Compound, Solid
from contracts.benchmark import Solid as SolidWords

from cad_worker.bodies import Block, environment_digest
from cad_worker.environments import EnvironmentFaultyError, ScriptFailedError, blocks_of, run_environment
from cad_worker.exchange import (
    EnvironmentBuild,
    EnvironmentFault,
    EnvironmentFiles,
    EnvironmentGeometry,
    EnvironmentInVariant,
    EnvironmentMade,
    EnvironmentScript,
)
from cad_worker.exports.colors import ENVIRONMENT
from cad_worker.exports.gltf import assembly_glb
from cad_worker.exports.step import assembly_step
from cad_worker.geometry.occt import read_brep, write_compound
from cad_worker.rules.world import check_world

LABEL = "environment"


def make_environment(request: EnvironmentScript) -> EnvironmentMade:
    """Run the script and hand over what it makes. Nothing that this child says is believed but the geometry."""
    try:
        return EnvironmentMade(design=run_environment(request.code, request.variant))
    except ScriptFailedError as failure:
        return EnvironmentMade(reason=failure.reason, problem=str(failure))


def build_environment(request: EnvironmentInVariant) -> EnvironmentBuild:
    """Check the world that a script has made, and return its files or its fault."""
    try:
        blocks = blocks_of(request.design)
        check_world(blocks, request.variant)
    except EnvironmentFaultyError as fault:
        return EnvironmentBuild(fault=EnvironmentFault(reason=fault.reason, detail=fault.detail))
    finishes = [ENVIRONMENT] * len(blocks)
    files = EnvironmentFiles(
        geometry=_geometry(blocks),
        step=assembly_step(LABEL, blocks, finishes),
        glb=assembly_glb(LABEL, blocks, finishes, kind="environment"),
    )
    return EnvironmentBuild(files=files)


def _geometry(blocks: tuple[Block, ...]) -> EnvironmentGeometry:
    solids = [block.solid for block in blocks]
    return EnvironmentGeometry(
        brep=write_compound(solids),
        solids=tuple(SolidWords(label=block.label, box=block.box.around) for block in blocks),
        digest=environment_digest([block.label for block in blocks], solids),
    )


def load_environment(geometry: EnvironmentGeometry) -> Compound:
    """Return the world as build123d knows it: a Compound `environment` with labelled solids as children."""
    solids: list[Solid] = []
    for words, solid in zip(geometry.solids, read_brep(geometry.brep).solids, strict=True):
        solid.label = words.label
        solids.append(solid)
    return Compound(label=LABEL, children=solids)
