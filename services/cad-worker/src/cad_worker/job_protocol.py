"""What crosses between the host and its sandboxed children: data only, never a pickle.

A child job is a plain function from one of these requests to its reply. The host knows jobs by name (`Job.function`),
because it never imports build123d; the child imports the function and calls it.

Two more functions run where agent code runs, and therefore only hand over data or read it:

- `cad_worker.capture.design:capture_design(assembly: object, environment: object) -> DesignData`: `NotADesignError`;
- `cad_worker.jobs.environment:load_environment(geometry: EnvironmentGeometry) -> build123d.Compound`.
"""

import hashlib
from typing import Any, Literal

from contracts.events.rendering import Mesh
from contracts.models.artifact import Sha256
from contracts.models.benchmark import Assignment, Solid, Variant
from contracts.models.design import BillOfMaterials, Finding
from contracts.models.geometry import Vector
from contracts.models.mechanism import Mechanism
from contracts.models.scene import Scene
from geometry.collision.results import CollisionGeometry
from pydantic import BaseModel, ConfigDict
from sandbox.jobs import Job


class NotADesignError(ValueError):
    """What was handed in is no design; the message tells the agent what to hand in instead."""


class WireModel(BaseModel):
    """A value that crosses; bytes travel as base64 in its JSON."""

    model_config = ConfigDict(frozen=True, ser_json_bytes="base64", val_json_bytes="base64")


def solid_source(brep: bytes, number: int = 0) -> str:
    """Return the key under which is known what was computed from a solid: the bytes it was read from, its place there.

    The host can compute it, which never reads geometry; equal bytes are equal geometry.
    """
    return f"{hashlib.sha256(brep).hexdigest()}:{number}"


ShapesBySource = dict[str, CollisionGeometry]
"""Collision geometry by `solid_source`, computed by clean children only."""


class PartData(WireModel):
    """One child of the assembly, as the untrusted kernel exported it. Nothing here is believed but the geometry."""

    label: str
    kind: str
    """Class of the child, e.g. `Part`, `Solid`, `Box`."""
    brep: bytes
    """The child in world coordinates, OCCT's B-rep format."""
    manufacturing_method: str | None = None
    material_id: str | None = None
    catalog_id: str | None = None
    """Of a part that is bought; its geometry must be the catalog's."""
    tolerance_class: str | None = None
    """Of ISO 2768; None is medium."""
    is_mountable: bool = True
    """Of a solid of the environment: whether parts of the design may be glued or fastened to it."""


class DesignData(WireModel):
    """An assembly as data."""

    parts: tuple[PartData, ...]
    mechanism: Mechanism = Mechanism()
    """As the kernel said it; the rules decide whether it makes sense."""


class EnvironmentGeometry(WireModel):
    """The environment as it was built once for the benchmark."""

    brep: bytes
    """Compound of all solids, in the order of `solids`."""
    solids: tuple[Solid, ...]
    digest: Sha256
    """Of the geometry, as `build_environment` computed it."""
    mechanism: Mechanism = Mechanism()


class EnvironmentScript(WireModel):
    """Untrusted code that builds the environment of a variant."""

    code: str
    variant: Variant


class EnvironmentScriptResult(WireModel):
    """What a script made, or why it made nothing: claims of a child that ran code which is not ours."""

    design: DesignData | None = None
    reason: Literal["code_failed", "not_build123d"] = "code_failed"
    problem: str = ""


class EnvironmentCheck(WireModel):
    """An environment as data, to be checked by a child that never ran its code."""

    design: DesignData
    variant: Variant


class EnvironmentFiles(WireModel):
    """The environment as built and checked."""

    geometry: EnvironmentGeometry
    step: bytes
    glb: bytes


class EnvironmentFault(WireModel):
    """Why the benchmark cannot be worked on."""

    reason: Literal[
        "code_failed", "not_build123d", "payload_in_wall", "outside_bounds", "zone_conflict", "faulty_mechanism"
    ]
    detail: str


class EnvironmentBuild(WireModel):
    """Either the files or the fault."""

    files: EnvironmentFiles | None = None
    fault: EnvironmentFault | None = None
    computed: ShapesBySource = {}


class DesignRequest(WireModel):
    """A design, the world it stands in and what is asked of it."""

    design: DesignData
    environment: EnvironmentGeometry
    assignment: Assignment
    known: ShapesBySource = {}
    """What was computed before."""


class DesignCheck(WireModel):
    """A design that is about to be submitted, and the environment as its kernel has it now."""

    design: DesignData
    environment_now: DesignData
    environment: EnvironmentGeometry
    assignment: Assignment
    known: ShapesBySource = {}


class DesignFindings(WireModel):
    """What a verdict would object to."""

    findings: tuple[Finding, ...]
    computed: ShapesBySource = {}


class Judgement(WireModel):
    """A design judged from data by a child that never ran agent code. Files are there when there is no finding."""

    findings: tuple[Finding, ...]
    digest: Sha256
    """Of geometry and metadata of the design."""
    bill: BillOfMaterials | None = None
    """There when every part could be priced, even if something else is wrong."""
    scene: Scene | None = None
    step: bytes = b""
    part_steps: dict[str, bytes] = {}
    glb: bytes = b""
    computed: ShapesBySource = {}
    """What was not known before."""


class QuoteRequest(WireModel):
    """One part, or several, to be validated and priced on their own workbenches."""

    component: DesignData
    assignment: Assignment


class Quote(WireModel):
    """What the workbenches say: the same findings as the verdict's, for the rules that need no assembly."""

    findings: tuple[Finding, ...]
    bill: BillOfMaterials | None = None


class SceneBuild(WireModel):
    """A design as a scene for a preview, or the findings that forbid it."""

    scene: Scene | None = None
    findings: tuple[Finding, ...] = ()
    computed: ShapesBySource = {}


class MeshedDesign(WireModel):
    """A design as triangles."""

    meshes: tuple[Mesh, ...]
    size_mm: Vector
    """Of the box around all of it."""
    flat: int = 0
    """Faces, edges and points that have no volume, and are not among the meshes."""
    unreadable: int = 0


class DesignDigest(WireModel):
    """The digest of a design's geometry and metadata."""

    digest: Sha256


RUN_ENVIRONMENT = Job("cad_worker.jobs.environment:make_environment", EnvironmentScript, EnvironmentScriptResult)
BUILD_ENVIRONMENT = Job("cad_worker.jobs.environment:build_environment", EnvironmentCheck, EnvironmentBuild)
JUDGE = Job("cad_worker.jobs.design:judge", DesignRequest, Judgement)
QUOTE = Job("cad_worker.jobs.design:quote", QuoteRequest, Quote)
SCENE = Job("cad_worker.jobs.design:scene_of", DesignRequest, SceneBuild)
MESH = Job("cad_worker.jobs.mesh:mesh", DesignData, MeshedDesign)
CHECK = Job("cad_worker.jobs.design:check", DesignCheck, DesignFindings)
DIGEST = Job("cad_worker.jobs.digest:digest_of", DesignData, DesignDigest)

JOBS: tuple[Job[Any, Any], ...] = (RUN_ENVIRONMENT, BUILD_ENVIRONMENT, JUDGE, CHECK, QUOTE, SCENE, MESH, DIGEST)
