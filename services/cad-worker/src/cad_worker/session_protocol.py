"""The part of the session protocol that kernels with designs add.

It adds the order, the tool calls with their answers, and what a cell ends with to `kernel_host.protocol`.
"""

from typing import Annotated, Literal
from uuid import UUID

from contracts.models.artifact import ArtifactRef, Sha256
from contracts.models.assessment import Assessment
from contracts.models.benchmark import Assignment
from contracts.models.catalog import CatalogFind
from contracts.models.design import BillOfMaterials, Finding
from contracts.models.geometry import Vector
from contracts.models.observation import Observation
from contracts.models.questions.answers import AnswerSpec, ValidAnswer
from contracts.models.questions.question import MAX_QUESTION_CHARS
from contracts.models.scene import Scene
from contracts.models.simulation import SimulationResult
from design_rules.design_data import DesignData, EnvironmentGeometry
from kernel.api.display import LABEL_CHARS
from kernel.api.engineer_api import MAX_REPLICAS as MAX_PREVIEW_REPLICAS
from kernel.api.reviews.reruns import MAX_REPLICAS
from kernel_host.protocol import CellDone, KernelCall, RecallCall, SessionReady
from pydantic import BaseModel, Field, NonNegativeFloat, NonNegativeInt, PositiveInt, RootModel
from sandbox.channels.wire_model import WireModel

from cad_worker.author_protocol import DraftCheckCall, TestCall
from cad_worker.job_protocol import Quote

ShownLabel = Annotated[str, Field(max_length=LABEL_CHARS)]
DESIGN_FILE, SUBMITTED = "design.step", "submitted"
"""File of the design and folder of the submitted files, in the workspace of a review."""


class ReviewOrder(WireModel):
    """A design that a critic reviews; its geometry and its files are in the workspace."""

    bill: BillOfMaterials
    result: SimulationResult
    trajectory_npz: bytes = b""
    """The file of `result.trajectory`."""
    scene: Scene
    """The simulated scene, without the surfaces that only images need."""
    scene_ref: ArtifactRef


class SessionOrder(WireModel):
    """The first message: the session's assignment and environment."""

    assignment: Assignment
    environment: EnvironmentGeometry
    captures_environment: bool = False
    """Whether `SessionReady` must contain the environment."""
    review: ReviewOrder | None = None
    """Of a critic's session."""


class DesignReady(SessionReady):
    """The kernel's namespace is complete."""

    environment: DesignData | None = None
    """Before any agent code has run; None if it was not requested."""


class QuoteCall(KernelCall):
    """Call of `validate_and_price`."""

    later_fields = frozenset({"quantity"})
    kind: Literal["quote"] = "quote"
    component: DesignData
    quantity: PositiveInt | None = None
    """None: that of the assignment."""


class QuoteAnswer(WireModel):
    """The quote, or why there is none."""

    quote: Quote | None = None
    problem: str = ""


class SimulationCall(KernelCall):
    """Call of `simulate`, answered by `SimulationAnswer`."""

    later_fields = frozenset({"replicas", "seed", "payload_at_mm"})
    kind: Literal["simulation"] = "simulation"
    design: DesignData
    replicas: Annotated[int, Field(ge=1, le=MAX_PREVIEW_REPLICAS)] = 1
    seed: NonNegativeInt = 0
    payload_at_mm: Vector | dict[str, Vector] | None = None
    """Where the payload is released instead, of several the first, or each by its label; such a simulation is the test
    of a station and proves nothing."""


class RerunCall(KernelCall):
    """Call of `simulate` in a review, answered by `SimulationAnswer`."""

    kind: Literal["rerun"] = "rerun"
    seed: NonNegativeInt
    replicas: Annotated[int, Field(ge=2, le=MAX_REPLICAS)]


class AssessCall(KernelCall):
    """Call of `assess` in a review, answered by `AssessAnswer`."""

    kind: Literal["assess"] = "assess"


class AssessAnswer(BaseModel):
    """The reruns of the review, or why they cannot be counted."""

    assessment: Assessment | None = None
    problem: str = ""


class FilmQuestionCall(KernelCall):
    """Call of `ask_film` in a review, answered by `FilmQuestionAnswer`."""

    kind: Literal["film_question"] = "film_question"
    question: Annotated[str, Field(min_length=1, max_length=MAX_QUESTION_CHARS)]
    answer: AnswerSpec
    window_s: tuple[NonNegativeFloat, NonNegativeFloat] | None = None
    """Of the film; None: all of it."""


class FilmQuestionAnswer(BaseModel):
    """What the question was answered with, or why it was not."""

    answer: ValidAnswer | None = None
    ending: str = ""
    run_id: UUID | None = None
    problem: str = ""


class SimulationAnswer(WireModel):
    """The result, or why there is none."""

    result: SimulationResult | None = None
    trajectory_npz: bytes = b""
    """The file of `result.trajectory`: fetched for the kernel, not recorded with the reply."""
    warnings_md: str = ""
    """Findings of a verdict that do not keep physics from running."""
    problem: str = ""


class ScriptCall(KernelCall):
    """Call of `run_script`."""

    kind: Literal["script"] = "script"


class ScriptAnswer(BaseModel):
    """The observation of script.py in a fresh kernel, or why it could not run."""

    observation: Observation | None = None
    problem: str = ""


class CheckCall(KernelCall):
    """Call of `submit_for_review`, before the submission."""

    kind: Literal["check"] = "check"
    design: DesignData
    environment: DesignData
    """As it is in the kernel now."""


class CheckAnswer(BaseModel):
    """The findings that a verdict would have, or why the design could not be checked."""

    findings: tuple[Finding, ...] = ()
    problem: str = ""


class ShowShapesCall(KernelCall):
    """Call of `show` for geometry, answered by `ShowAnswer`."""

    kind: Literal["shapes"] = "shapes"
    design: DesignData
    label: ShownLabel


class ShowResultCall(KernelCall):
    """Call of `show` for a simulation, answered by `ShowAnswer`."""

    kind: Literal["result"] = "result"
    trajectory_digest: Sha256
    label: ShownLabel
    window_s: tuple[float, float] | None = None
    """Of a slice."""


class SearchCall(KernelCall):
    """Call of `catalog.search`."""

    kind: Literal["search"] = "search"
    words: Annotated[str, Field(min_length=1, max_length=500)]
    limit: Annotated[int, Field(ge=1, le=20)]
    quantity: Annotated[int, Field(ge=1)]


class SearchAnswer(BaseModel):
    """The parts that fit, or why the search failed."""

    found: tuple[CatalogFind, ...] = ()
    note: str = ""
    problem: str = ""


class DesignCellDone(CellDone):
    """The cell has ended, perhaps with a design or with a benchmark."""

    submitted: DesignData | None = None
    environment: DesignData | None = None
    """With a submission: the environment as it is in the kernel now."""
    submits_files: bool = False
    """Of an author: the benchmark's files of the workspace."""


DesignCall = (
    QuoteCall
    | CheckCall
    | SimulationCall
    | RerunCall
    | AssessCall
    | FilmQuestionCall
    | ScriptCall
    | ShowShapesCall
    | ShowResultCall
    | RecallCall
    | SearchCall
    | TestCall
    | DraftCheckCall
)
"""A call of one of the kernel's tools."""


class KernelMessage(RootModel[Annotated[DesignReady | DesignCall | DesignCellDone, Field(discriminator="kind")]]):
    """Any message of a kernel."""
