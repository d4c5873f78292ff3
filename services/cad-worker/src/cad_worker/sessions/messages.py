"""What host and session child say to each other."""

from typing import Annotated, Literal

from contracts.benchmark import Assignment
from contracts.simulation import SimulationResult
from kernel.cell import CellReport
from pydantic import BaseModel, Field, RootModel

from cad_worker.exchange import DesignData, EnvironmentGeometry, Parcel, Quote

PROOF_CHARS = 20_000
"""Of a refusal; more is cut off."""


class SessionOrder(Parcel):
    """The first message: the world of the session."""

    assignment: Assignment
    environment: EnvironmentGeometry


class SessionReady(Parcel):
    """The namespace stands."""

    kind: Literal["ready"] = "ready"
    environment: DesignData
    """As it stands before any agent code has run."""


class RunCell(BaseModel):
    """Run this code."""

    code: str
    name: str
    """Stands in tracebacks."""
    seed: int


class QuoteWanted(Parcel):
    """`validate_and_price` asks; answered by `Quote`."""

    kind: Literal["quote"] = "quote"
    component: DesignData


class SimulationWanted(Parcel):
    """`simulate` asks; answered by `SimulationAnswer`."""

    kind: Literal["simulation"] = "simulation"
    design: DesignData


class SimulationAnswer(BaseModel):
    """The result, or why there is none."""

    result: SimulationResult | None = None
    warnings_md: str = ""
    """What the verdict would object to, though physics can run it."""
    problem: str = ""


class QuoteAnswer(Parcel):
    """The quote, or why there is none."""

    quote: Quote | None = None
    problem: str = ""


class CellDone(Parcel):
    """The cell has ended. What it says of the design is a claim."""

    kind: Literal["done"] = "done"
    report: CellReport
    submitted: DesignData | None = None
    environment: DesignData | None = None
    """With a submission: the environment as it stands in the kernel now."""
    refusal: str | None = None


ChildMessage = SessionReady | QuoteWanted | SimulationWanted | CellDone


class FromChild(RootModel[Annotated[ChildMessage, Field(discriminator="kind")]]):
    """Anything a session child may say."""
