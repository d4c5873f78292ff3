"""The job protocol: jobs of clean children, and the models of their requests and replies.

Geometry crosses as B-rep bytes, everything else as JSON, never as a pickle. Kernels exchange designs with the host as
the same models: see `session_protocol`.
"""

from typing import Any, Literal

from build_package.teeth.meshes import ToothMesh
from contracts.events.rendering import Mesh
from contracts.events.run import EnvironmentFaultReason
from contracts.models.artifact import Sha256
from contracts.models.benchmark import Assignment, BenchmarkFiles, Limits, Variant
from contracts.models.design import BillOfMaterials, Finding
from contracts.models.geometry import Vector
from contracts.models.scene import Scene
from contracts.quotes import DrawnPart, FileQuote, QuoteChoice
from design_rules.design_data import DesignData, DesignRequest, EnvironmentGeometry, PartData, ShapesBySource
from geometry.assembly.steps import AssemblyStep
from pydantic import Field
from sandbox.channels.channel import UNTRUSTED
from sandbox.channels.wire_model import WireModel
from sandbox.jobs import Job


class NotADesignError(ValueError):
    """An object is not a design; the message tells the agent what to pass instead."""


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
