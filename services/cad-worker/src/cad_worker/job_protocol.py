"""The job protocol: jobs of clean children, and the models of their requests and replies.

Geometry crosses as B-rep bytes, everything else as JSON, never as a pickle. Kernels exchange designs with the host as
the same models: see `session_protocol`.
"""

import hashlib
from typing import Annotated, Any, Literal

from build_package.teeth.meshes import ToothMesh
from contracts.events.rendering import Mesh
from contracts.events.run import EnvironmentFaultReason
from contracts.models.artifact import Sha256
from contracts.models.benchmark import Assignment, BenchmarkFiles, Limits, Solid, Variant
from contracts.models.design import BillOfMaterials, Finding
from contracts.models.geometry import Vector
from contracts.models.mechanism import Mechanism
from contracts.models.scene import Scene
from contracts.quotes import DrawnPart, FileQuote, QuoteChoice
from geometry.assembly.steps import AssemblyStep
from geometry.collision.results import CollisionGeometry
from pydantic import Field
from sandbox.channels.channel import UNTRUSTED
from sandbox.channels.wire_model import WireModel
from sandbox.jobs import Job


class NotADesignError(ValueError):
    """An object is not a design; the message tells the agent what to pass instead."""


def solid_source(brep: bytes, number: int = 0) -> str:
    """Return the key of results that were computed from a solid: a digest of its B-rep file, and its position in it.

    Equal bytes are equal geometry, so the host needs to read none.
    """
    return f"{hashlib.sha256(brep).hexdigest()}:{number}"


ShapesBySource = dict[str, CollisionGeometry]
"""Collision shapes by `solid_source`; only clean children compute them."""


MAX_SHAPES = 2000
"""Of a design or an environment, as data; a design with more than 500 parts gets a finding."""
MAX_DESIGN_BYTES = 12 << 20
"""Of the B-rep of all parts of a design together; with its environment it must fit into a message."""
TEXT_CHARS = 200
"""Of a label or another text of a part; longer ones are cut, and are invalid anyway."""
ShortText = Annotated[str, Field(max_length=TEXT_CHARS)]


class PartData(WireModel):
    """One child of an assembly, as the untrusted kernel exported it. Only its geometry is trusted."""

    label: ShortText
    kind: ShortText
    """Class of the child, e.g. `Part`, `Solid`, `Box`."""
    brep: bytes
    """In world coordinates, in OCCT's B-rep format."""
    manufacturing_method: ShortText | None = None
    material_id: ShortText | None = None
    catalog_id: ShortText | None = None
    """Of a bought part; its geometry must be the catalog's."""
    tolerance_class: ShortText | None = None
    """Of ISO 2768; None is medium."""
    is_mountable: bool = True
    """Of a solid of the environment: whether parts may be glued or fastened to it."""
    is_loose: bool = False
    """Of a solid of the environment: whether it lies free."""


class DesignData(WireModel):
    """An assembly, or an environment, as data."""

    parts: Annotated[tuple[PartData, ...], Field(max_length=MAX_SHAPES)]
    mechanism: Mechanism = Mechanism()
    """As the kernel declared it, unchecked."""


class EnvironmentGeometry(WireModel):
    """The environment as it was built for the run."""

    brep: bytes
    """Compound of all solids, in the order of `solids`."""
    solids: tuple[Solid, ...]
    digest: Sha256
    """As `build_environment` computed it."""
    mechanism: Mechanism = Mechanism()
    payload_hull_mm: tuple[Vector, ...] = ()
    """Corners of a payload that is a solid."""
    more_payload_hulls_mm: tuple[tuple[Vector, ...], ...] = ()
    """The same of each further payload; empty if none of them is a solid."""

    def with_payload(self, variant: Variant) -> Variant:
        """Return the variant with the payloads as the environment's code built them."""
        hulls_mm = (self.payload_hull_mm, *(self.more_payload_hulls_mm or ((),) * len(variant.more_payloads)))
        first, *more = (
            payload.model_copy(update={"hull_mm": hull_mm})
            for payload, hull_mm in zip(variant.payloads, hulls_mm, strict=True)
        )
        changes: dict[str, object] = {"payload": first, "more_payloads": tuple(more)}
        return variant.model_copy(update=changes)

    def with_payload_of(self, assignment: Assignment) -> Assignment:
        """Return the assignment with the payload as the environment's code built it."""
        return assignment.model_copy(update={"variant": self.with_payload(assignment.variant)})


class EnvironmentScript(WireModel):
    """Untrusted code that builds the environment of a variant."""

    code: str
    variant: Variant


class EnvironmentScriptResult(WireModel):
    """The environment that a script built, or why it built none: untrusted, since the child ran the script."""

    design: DesignData | None = None
    payloads: tuple[PartData | None, ...] = ()
    """Of each payload, None for one that is not a solid; empty: none of them is."""
    reason: Literal["code_failed", "not_build123d"] = "code_failed"
    problem: str = ""


class EnvironmentCheck(WireModel):
    """An environment as data, to be checked by a child that never ran its script."""

    design: DesignData
    variant: Variant
    payloads: tuple[PartData | None, ...] = ()


class EnvironmentFiles(WireModel):
    """A checked environment."""

    geometry: EnvironmentGeometry
    scene: Scene
    """The environment and the payload alone, for the check of the world."""
    step: bytes
    glb: bytes


class EnvironmentFault(WireModel):
    """Why a benchmark cannot be solved by anyone."""

    reason: EnvironmentFaultReason
    detail: str


class EnvironmentShapes(WireModel):
    """The collision shapes of an environment."""

    computed: ShapesBySource


class EnvironmentBuild(WireModel):
    """Files, or a fault."""

    files: EnvironmentFiles | None = None
    fault: EnvironmentFault | None = None
    computed: ShapesBySource = Field(default_factory=ShapesBySource)


class DesignRequest(WireModel):
    """A design, its environment and its assignment."""

    design: DesignData
    environment: EnvironmentGeometry
    assignment: Assignment
    known: ShapesBySource = Field(default_factory=ShapesBySource)
    """Collision shapes that were computed before."""


class DesignCheck(WireModel):
    """A design before its submission, and the environment as its kernel has it now."""

    design: DesignData
    environment_now: DesignData
    environment: EnvironmentGeometry
    assignment: Assignment
    known: ShapesBySource = Field(default_factory=ShapesBySource)


class DesignFindings(WireModel):
    """The findings of a verdict."""

    findings: tuple[Finding, ...]
    computed: ShapesBySource = Field(default_factory=ShapesBySource)


class Judgement(WireModel):
    """The verdict on a design, with its files if it has no findings."""

    findings: tuple[Finding, ...]
    digest: Sha256
    """Of the design's geometry and metadata."""
    bill: BillOfMaterials | None = None
    """Present when every part could be priced, whatever the findings."""
    scene: Scene | None = None
    """With findings it is one to be looked at; None if there is nothing to be seen."""
    step: bytes = b""
    part_steps: dict[str, bytes] = Field(default_factory=dict[str, bytes])
    glb: bytes = b""
    assembly: tuple[AssemblyStep, ...] = ()
    """The order in which a design without findings is put together."""
    tooth_meshes: tuple[ToothMesh, ...] = ()
    """What meshes in a design without findings."""
    computed: ShapesBySource = Field(default_factory=ShapesBySource)
    """Collision shapes that were not known before."""


class BuildRequest(WireModel):
    """A design that was judged, whose build package is wanted."""

    title: str
    """Of the machine, in drawings and texts."""
    run: str
    design: DesignData
    bill: BillOfMaterials
    scene: Scene
    assembly: tuple[AssemblyStep, ...]
    tooth_meshes: tuple[ToothMesh, ...]
    part_steps: dict[str, bytes]


class BuildFiles(WireModel):
    """The build package as one zip."""

    zip: bytes


class QuoteRequest(WireModel):
    """Parts to be validated and priced on their workbenches."""

    component: DesignData
    assignment: Assignment


class Quote(WireModel):
    """Bill and findings of the workbenches, which a verdict would contain, too."""

    findings: tuple[Finding, ...]
    bill: BillOfMaterials | None = None


class PartScript(WireModel):
    """Untrusted code that builds parts."""

    code: str
    file: str
    """Name of its file, for messages."""


class PartScriptResult(WireModel):
    """The parts that a script built, or why it built none: untrusted, since the child ran the script."""

    design: DesignData | None = None
    problem: str = ""


class FileQuoteRequest(WireModel):
    """A file of parts, or the parts of a script, to be judged and priced."""

    file: str
    name: str
    """Of parts without one."""
    choice: QuoteChoice
    data: bytes = b""
    design: DesignData | None = None
    """What a script built; `data` is then empty."""
    has_view: bool = False
    """Whether the surfaces are wanted, too."""


class FileQuoteResult(WireModel):
    """The answer about a file, and its parts to be shown, without those that cannot be drawn."""

    quote: FileQuote
    shown: tuple[DrawnPart, ...] = ()


class SceneBuild(WireModel):
    """A design as a scene for a preview, or the findings that forbid it."""

    scene: Scene | None = None
    part_steps: dict[str, bytes] = Field(default_factory=dict[str, bytes])
    """STEP file of each part, by label."""
    findings: tuple[Finding, ...] = ()
    computed: ShapesBySource = Field(default_factory=ShapesBySource)


class MeshedDesign(WireModel):
    """A design as triangles."""

    meshes: tuple[Mesh, ...]
    size_mm: Vector
    """Of the bounding box."""
    flat: int = 0
    """How many faces, edges and points there are, which have no volume and no mesh."""
    unreadable: int = 0
    """How many parts could not be read."""


class DraftTexts(WireModel):
    """The texts of a benchmark, and the seeds whose worlds are wanted."""

    files: BenchmarkFiles
    level: int
    seeds: tuple[int, ...]


class DraftVariants(WireModel):
    """The worlds that the texts state, or their faults."""

    variants: tuple[Variant, ...] = ()
    limits: Limits = Limits()
    faults: tuple[str, ...] = ()


class DesignDigest(WireModel):
    """The digest of a design's geometry and metadata."""

    digest: Sha256


RUN_ENVIRONMENT = Job(
    "cad_worker.jobs.environment:run_environment_script", EnvironmentScript, EnvironmentScriptResult, UNTRUSTED
)
BUILD_ENVIRONMENT = Job("cad_worker.jobs.environment:build_environment", EnvironmentCheck, EnvironmentBuild)
ENVIRONMENT_SHAPES = Job("cad_worker.jobs.environment:environment_shapes", EnvironmentGeometry, EnvironmentShapes)
JUDGE = Job("cad_worker.jobs.design:judge", DesignRequest, Judgement)
BUILD = Job("cad_worker.jobs.build:build", BuildRequest, BuildFiles)
QUOTE = Job("cad_worker.jobs.design:quote", QuoteRequest, Quote)
SCENE = Job("cad_worker.jobs.design:scene_of", DesignRequest, SceneBuild)
MESH = Job("cad_worker.jobs.mesh:mesh", DesignData, MeshedDesign)
CHECK = Job("cad_worker.jobs.design:check", DesignCheck, DesignFindings)
DIGEST = Job("cad_worker.jobs.digest:digest_of", DesignData, DesignDigest)
READ_DRAFT = Job("cad_worker.jobs.draft:read_draft", DraftTexts, DraftVariants)
RUN_PART_SCRIPT = Job("cad_worker.jobs.part_script:run_part_script", PartScript, PartScriptResult, UNTRUSTED)
QUOTE_FILE = Job("cad_worker.jobs.part_file:quote_file", FileQuoteRequest, FileQuoteResult)

JOBS: tuple[Job[Any, Any], ...] = (
    *(RUN_ENVIRONMENT, BUILD_ENVIRONMENT, ENVIRONMENT_SHAPES),
    *(JUDGE, BUILD, CHECK, QUOTE, SCENE, MESH, DIGEST, READ_DRAFT),
    *(RUN_PART_SCRIPT, QUOTE_FILE),
)
