"""What an event says, in one line for people.

Models and kernels may have written any of it: nothing here is markup, and control characters are shown, not sent.
"""

from dataclasses import dataclass
from functools import singledispatch
from typing import Literal

from contracts.abandoned import MessageAbandoned, WorkAbandoned
from contracts.conversation import JournalEntryAdded, ModelCalled, ReplyRejected
from contracts.design import (
    BillOfMaterials,
    DesignApproved,
    DesignInvalidated,
    DesignRejected,
    DesignSimulated,
    DesignSubmitted,
    DesignValidated,
)
from contracts.engineering import (
    CancelRequested,
    EngineeringRequested,
    EnvironmentBuilt,
    EnvironmentRefused,
    EnvironmentRequested,
    RunFailed,
    RunSucceeded,
)
from contracts.envelope import Event
from contracts.planning import PlanApproved, PlanProposed, PlanRejected
from contracts.session import (
    CellCompleted,
    CellRequested,
    FileRefused,
    FileWriteRequested,
    FileWritten,
    Refusal,
    SessionClosed,
    SessionFailed,
    SessionOpened,
    SessionRequested,
    Submission,
)
from contracts.simulation import SimulationCompleted, SimulationFailed, SimulationRequested, SimulationResult
from contracts.skill import SkillLearned, SkillRejected

from cli.words import headline, limits_text, one_line

Mood = Literal["good", "bad", "plain", "quiet"]
"""Quiet: only of interest to those who read the whole log."""


@dataclass(frozen=True)
class Gist:
    """One line, and how it is meant."""

    text: str
    mood: Mood = "plain"


def gist(event: Event) -> Gist:
    """Return what the event says."""
    told = tell(event)
    return Gist(one_line(told.text), told.mood)


@singledispatch
def tell(event: Event) -> Gist:
    """Say it, whole; `gist` cuts it to a line."""
    return Gist(event.type, "quiet")


@tell.register
def _(event: EngineeringRequested) -> Gist:
    asked = event.assignment
    world = f"{asked.variant.benchmark}, seed {asked.variant.seed}, level {asked.variant.level}"
    return Gist(f"{world}; {asked.quantity} pieces, {limits_text(asked.limits)}; model {event.model}")


@tell.register
def _(_event: EnvironmentRequested) -> Gist:
    return Gist("the world is to be built", "quiet")


@tell.register
def _(event: EnvironmentBuilt) -> Gist:
    return Gist(f"the world stands: {len(event.environment.solids)} solids, {event.build_s:.1f} s", "good")


@tell.register
def _(event: EnvironmentRefused) -> Gist:
    return Gist(f"the world cannot be worked on ({_words(event.reason)}): {event.detail}", "bad")


@tell.register
def _(event: PlanProposed) -> Gist:
    return Gist(f"plan with {event.todo_md.count('- [')} tasks: {headline(event.plan_md)}")


@tell.register
def _(event: PlanApproved) -> Gist:
    return Gist(f"plan agreed: {headline(event.review_md)}", "good")


@tell.register
def _(event: PlanRejected) -> Gist:
    return Gist(f"plan rejected: {headline(event.review_md)}", "bad")


@tell.register
def _(event: CancelRequested) -> Gist:
    return Gist(f"cancel: {event.reason}", "bad")


@tell.register
def _(event: RunSucceeded) -> Gist:
    return Gist(f"SOLVED: {_bill(event.bill)}; {_success(event.result)}", "good")


@tell.register
def _(event: RunFailed) -> Gist:
    return Gist(f"FAILED ({_words(event.reason)}): {event.detail}", "bad")


@tell.register
def _(_event: SessionRequested) -> Gist:
    return Gist("a kernel is wanted", "quiet")


@tell.register
def _(event: SessionOpened) -> Gist:
    return Gist(f"kernel ready in {event.ready_s:.1f} s, {len(event.files)} files in the workspace", "good")


@tell.register
def _(event: SessionFailed) -> Gist:
    return Gist(f"no kernel ({_words(event.reason)}): {event.detail}", "bad")


@tell.register
def _(event: SessionClosed) -> Gist:
    return Gist(f"kernel closed: {_words(event.reason)}", "quiet")


@tell.register
def _(event: CellRequested) -> Gist:
    return Gist(f"cell: {event.purpose}")


@tell.register
def _(event: CellCompleted) -> Gist:
    seen = event.observation
    if seen.error is not None:
        line = f" in line {seen.error.line}" if seen.error.line else ""
        return Gist(f"cell {seen.status}: {seen.error.type}{line}: {seen.error.message}", "bad")
    match event.ending:
        case Submission():
            return Gist(f"cell done in {seen.elapsed_s:.1f} s: submitted for review", "good")
        case Refusal(proof=proof):
            return Gist(f"cell refuses the plan: {proof}", "bad")
        case None:
            mood: Mood = "good" if seen.status == "ok" else "bad"
            return Gist(f"cell {seen.status} in {seen.elapsed_s:.1f} s: {headline(seen.output)}", mood)


@tell.register
def _(event: FileWriteRequested) -> Gist:
    return Gist(f"write {event.path}, {len(event.text.splitlines())} lines", "quiet")


@tell.register
def _(event: FileWritten) -> Gist:
    return Gist(f"wrote {event.path}, {event.size_bytes} bytes", "good")


@tell.register
def _(event: FileRefused) -> Gist:
    return Gist(f"did not write {event.path}: {event.detail}", "bad")


@tell.register
def _(event: SimulationRequested) -> Gist:
    return Gist(f"preview with {event.replicas} replica(s)", "quiet")


@tell.register
def _(event: SimulationCompleted) -> Gist:
    return Gist(f"preview: {_success(event.result)}", _mood(event.result))


@tell.register
def _(event: SimulationFailed) -> Gist:
    return Gist(f"preview impossible ({_words(event.reason)}): {event.detail}", "bad")


@tell.register
def _(event: DesignSubmitted) -> Gist:
    return Gist(f"design submitted, digest {event.submission.digest[:12]}")


@tell.register
def _(event: DesignValidated) -> Gist:
    return Gist(f"design is valid: {_bill(event.bill)}", "good")


@tell.register
def _(event: DesignInvalidated) -> Gist:
    findings = [f"{finding.label} {_words(finding.rule)}: {finding.detail}" for finding in event.findings]
    more = f" (and {len(findings) - 1} more)" if len(findings) > 1 else ""
    return Gist(f"design is not acceptable: {'; '.join(findings[:1])}{more}", "bad")


@tell.register
def _(event: DesignSimulated) -> Gist:
    return Gist(f"verdict of physics: {_success(event.result)}", _mood(event.result))


@tell.register
def _(event: DesignApproved) -> Gist:
    return Gist(f"design approved: {headline(event.review_md)}", "good")


@tell.register
def _(event: DesignRejected) -> Gist:
    return Gist(f"design rejected: {headline(event.review_md)}", "bad")


@tell.register
def _(event: ModelCalled) -> Gist:
    tokens = f"{event.usage.input_tokens} → {event.usage.output_tokens} tokens"
    return Gist(f"step {event.step}: {event.model} answered, {tokens}, {event.usage.duration_s:.1f} s", "quiet")


@tell.register
def _(event: ReplyRejected) -> Gist:
    return Gist(f"reply {event.attempt} could not be read: {event.problem}", "bad")


@tell.register
def _(event: JournalEntryAdded) -> Gist:
    return Gist(f"journal: {event.intent} → {event.result}", "quiet")


@tell.register
def _(event: SkillLearned) -> Gist:
    return Gist(f"skill learned: {event.name} v{event.version}, {event.description}", "good")


@tell.register
def _(event: SkillRejected) -> Gist:
    return Gist(f"no skill ({_words(event.reason)}): {event.detail}", "quiet")


@tell.register
def _(event: WorkAbandoned) -> Gist:
    return Gist(f"gives up ({_words(event.reason)}): {event.detail}", "bad")


@tell.register
def _(event: MessageAbandoned) -> Gist:
    return Gist(f"{event.consumer} gave a message up ({_words(event.reason)}): {event.detail}", "bad")


def _bill(bill: BillOfMaterials) -> str:
    return f"{bill.unit_price_usd:.2f} USD, {bill.mass_kg:.3f} kg, {len(bill.lines)} parts"


def _mood(result: SimulationResult) -> Mood:
    return "good" if result.verdict == "solved" else "bad"


def _success(result: SimulationResult) -> str:
    ending = f"{_words(result.nominal.ending)} after {result.nominal.time_s:.1f} s"
    if not result.replicas:
        return f"{result.verdict}, {ending}"
    return f"{result.verdict} and {result.stability}, {result.success_rate:.0%} of {len(result.replicas)}; {ending}"


def _words(reason: str) -> str:
    return reason.replace("_", " ")
