"""Events about a quote: a file of parts that a user sends, and what they cost by each method. A run of its own."""

from typing import Annotated, ClassVar

from pydantic import NonNegativeInt, StringConstraints

from contracts.envelope import Event, Request
from contracts.event_line import EventLine
from contracts.models.artifact import ArtifactRef
from contracts.quotes import QuoteChoice, Verdict
from contracts.text import counted

MOST_NAME_CHARS = 200
FileName = Annotated[str, StringConstraints(min_length=1, max_length=MOST_NAME_CHARS)]


class QuoteCompleted(Event):
    """The parts of a file were judged and priced, or the file cannot be used, which is an answer as well."""

    unconsumed: ClassVar = "shows the user what came of a file; gateway reads it from the event log"
    ends: ClassVar = "operations"

    verdict: Verdict
    """The worst of its parts."""
    parts: NonNegativeInt
    """Distinct parts in the file; 0 if it cannot be quoted."""
    problem: str = ""
    """Why it cannot; it continues a sentence about the file."""
    quote: ArtifactRef
    """JSON of `FileQuote`."""
    shown: ArtifactRef
    """JSON of `DrawnParts`: the parts to be drawn."""

    def line(self) -> EventLine:
        if not self.parts:
            return EventLine(f"the file cannot be quoted: it {self.problem}", "failure")
        can_be_made = self.verdict == "makeable"
        text = f"{counted(self.parts, 'part')} quoted: {'they can' if can_be_made else 'not all can'} be made"
        return EventLine(text, "success" if can_be_made else "failure")


class QuoteRequested(Request):
    """A user asks by which methods the parts of a file can be made, and for how much."""

    publishers: ClassVar = ("gateway",)
    opens_run: ClassVar = True
    owner: ClassVar = "cad-worker"
    outcomes: ClassVar = (QuoteCompleted,)

    name: FileName
    """Of the file; its suffix tells scripts, which are run, from data."""
    file: ArtifactRef
    choice: QuoteChoice

    def line(self) -> EventLine:
        return EventLine(f"quote requested: {self.name}, {counted(self.file.size_bytes, 'byte')}")
