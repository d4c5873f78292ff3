"""What host and session child say to each other."""

from typing import Annotated, Literal

from contracts.models.artifact import ArtifactRef
from contracts.models.benchmark import Assignment
from contracts.models.catalog import CatalogFind
from contracts.models.design import BillOfMaterials, Finding
from contracts.models.observation import Observation
from contracts.models.scene import Scene
from contracts.models.simulation import SimulationResult
from kernel.api.reviews.reruns import MOST_REPLICAS
from kernel.runtime.cell import CellReport
from pydantic import BaseModel, Field, NonNegativeInt, RootModel

from cad_worker.job_protocol import DesignData, EnvironmentGeometry, Quote, WireModel

PROOF_CHARS = 20_000
"""Of a refusal; more is cut off."""


DESIGN_FILE, SUBMITTED = "design.step", "submitted"
"""Where a review finds the design and the files it was made by."""


class ReviewOrder(WireModel):
    """A design for a critic to look at; its geometry and its files lie in the workspace."""

    bill: BillOfMaterials
    result: SimulationResult
    trajectory_npz: bytes = b""
    """What `result.trajectory` names."""
    scene: Scene
    """What physics was told, without the surfaces that are for pictures alone."""
    scene_ref: ArtifactRef


class SessionOrder(WireModel):
    """The first message: the world of the session."""

    assignment: Assignment
    environment: EnvironmentGeometry
    tells_environment: bool = False
    """Whether `SessionReady` is to hold the environment."""
    review: ReviewOrder | None = None
    """For a critic."""


class SessionReady(WireModel):
    """The namespace stands."""

    kind: Literal["ready"] = "ready"
    environment: DesignData | None = None
    """As it stands before any agent code has run, if that was asked for."""


class RunCell(BaseModel):
    """Run this code."""

    code: str
    name: str
    """Stands in tracebacks."""
    seed: int


class QuoteCall(WireModel):
    """`validate_and_price` asks; answered by `Quote`."""

    kind: Literal["quote"] = "quote"
    component: DesignData


class SimulationCall(WireModel):
    """`simulate` asks; answered by `SimulationAnswer`."""

    kind: Literal["simulation"] = "simulation"
    design: DesignData


class RerunCall(BaseModel):
    """A review's `simulate` asks; answered by `SimulationAnswer`."""

    kind: Literal["rerun"] = "rerun"
    seed: NonNegativeInt
    replicas: Annotated[int, Field(ge=2, le=MOST_REPLICAS)]


class ScriptCall(BaseModel):
    """`run_script` asks; answered by `ScriptAnswer`."""

    kind: Literal["script"] = "script"


class CheckCall(WireModel):
    """`submit_for_review` asks whether anything is wrong; answered by `CheckAnswer`."""

    kind: Literal["check"] = "check"
    design: DesignData
    environment: DesignData
    """As it stands in the kernel now."""


class CheckAnswer(BaseModel):
    """What a verdict would object to, or why nobody knows."""

    findings: tuple[Finding, ...] = ()
    problem: str = ""


class ScriptAnswer(BaseModel):
    """What came of script.py in a fresh kernel, or why it could not run."""

    observation: Observation | None = None
    problem: str = ""


class ShowShapesCall(WireModel):
    """`show` asks for a picture of geometry; answered by `ShowAnswer`."""

    kind: Literal["shapes"] = "shapes"
    design: DesignData
    label: str


class ShowResultCall(WireModel):
    """`show` asks for a picture of a simulation; answered by `ShowAnswer`."""

    kind: Literal["result"] = "result"
    trajectory_digest: str
    label: str
    window_s: tuple[float, float] | None = None
    """Of a slice."""


class RecallCall(BaseModel):
    """`recall` asks for a picture of an earlier cell; answered by `ShowAnswer`."""

    kind: Literal["recall"] = "recall"
    picture: Annotated[str, Field(max_length=80)]


class SearchCall(BaseModel):
    """`catalog.search` asks; answered by `SearchAnswer`."""

    kind: Literal["search"] = "search"
    words: Annotated[str, Field(min_length=1, max_length=500)]
    limit: Annotated[int, Field(ge=1, le=20)]
    quantity: Annotated[int, Field(ge=1)]


class SearchAnswer(BaseModel):
    """What fits, or why nobody knows."""

    found: tuple[CatalogFind, ...] = ()
    note: str = ""
    problem: str = ""


class ShowAnswer(BaseModel):
    """Nothing if the picture is taken."""

    note: str = ""
    """Why it is not, where the cell may well go on: there are too many."""
    problem: str = ""
    """Why it cannot be."""


class SimulationAnswer(WireModel):
    """The result, or why there is none."""

    result: SimulationResult | None = None
    trajectory_npz: bytes = b""
    """What `result.trajectory` names. It is fetched for the kernel alone, and no part of the reply that is recorded."""
    warnings_md: str = ""
    """What the verdict would object to, though physics can run it."""
    problem: str = ""


class QuoteAnswer(WireModel):
    """The quote, or why there is none."""

    quote: Quote | None = None
    problem: str = ""


class CellDone(WireModel):
    """The cell has ended. What it says of the design is a claim."""

    kind: Literal["done"] = "done"
    report: CellReport
    late_chars: NonNegativeInt = 0
    """Printed by threads that earlier cells left behind, and dropped."""
    submitted: DesignData | None = None
    environment: DesignData | None = None
    """With a submission: the environment as it stands in the kernel now."""
    refusal: str | None = None


KernelCall = (
    QuoteCall
    | CheckCall
    | SimulationCall
    | RerunCall
    | ScriptCall
    | ShowShapesCall
    | ShowResultCall
    | RecallCall
    | SearchCall
)
"""What a kernel's tools may ask."""

AnyKernelMessage = SessionReady | KernelCall | CellDone


class KernelMessage(RootModel[Annotated[AnyKernelMessage, Field(discriminator="kind")]]):
    """Anything a session child may say."""
