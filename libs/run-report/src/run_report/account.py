"""What a run was asked for and what came of it: one account, of which its report, its page and its files are made."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal
from uuid import UUID

from contracts.envelope import Event
from contracts.events.conversation import ModelCalled, ReplyLost
from contracts.models.artifact import ArtifactRef
from contracts.models.design import BillOfMaterials
from contracts.models.simulation import SimulationResult

from run_report.blocks import Drawings, Figures, Prose, TextTable

Tone = Literal["good", "bad", "note"]
Facts = Sequence[tuple[str, str]]
Section = Prose | TextTable | Figures | Drawings
_NOT_PLAIN = re.compile(r"[^\w.-]+")
NAME_CHARS = 60


@dataclass(frozen=True)
class Outcome:
    """What came of a run, in a word, with the rest of the line."""

    word: str
    tone: Tone
    detail: str = ""

    @property
    def line(self) -> str:
        """Word and detail."""
        return f"{self.word}: {self.detail}" if self.detail else self.word


@dataclass(frozen=True)
class RunAccount:
    """One run of any kind, as far as it has come."""

    events: Sequence[Event]
    name: str
    """What the names of its files begin with."""
    title: str
    outcome: Outcome
    is_open: bool
    """Whether it is in work."""
    facts: Facts
    requested: Facts
    sections: Sequence[Section] = ()
    """What a reader wants to see before the story."""
    script: str = ""
    """The text whose lines make parts; empty without any."""
    script_name: str = "script.py"
    bill: BillOfMaterials | None = None
    result: SimulationResult | None = None
    stored: Mapping[str, ArtifactRef] = field(default_factory=dict[str, ArtifactRef])
    """Its stored files by their paths."""
    written: Mapping[str, str] = field(default_factory=dict[str, str])
    """Its files that are written from its events, by their paths."""


def file_name(run_id: UUID, *words: str) -> str:
    """Return a name of files that tells the run: words, and the beginning of its id."""
    return f"{'-'.join(map(plain, words))[:NAME_CHARS].rstrip('-_.')}-{str(run_id)[:8]}"


def plain(text: str) -> str:
    """Return a text that can be part of a file's name anywhere."""
    return _NOT_PLAIN.sub("_", text).strip("._") or "file"


def effort_text(events: Sequence[Event], end: Event | None) -> str:
    """Return time, tokens and list price of all model calls, lost ones included; no price if one is unknown."""
    calls = [event.usage for event in events if isinstance(event, ModelCalled | ReplyLost)]
    costs_usd = [usage.cost_usd for usage in calls if usage.cost_usd is not None]
    tokens_in, tokens_out = sum(usage.input_tokens for usage in calls), sum(usage.output_tokens for usage in calls)
    cost = f"; {sum(costs_usd):.2f} USD" if len(costs_usd) == len(calls) else ""
    duration_s = ((end or events[-1]).occurred_at - events[0].occurred_at).total_seconds()
    return f"{duration_s:.0f} s; {tokens_in} → {tokens_out} tokens{cost}"
