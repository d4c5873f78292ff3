"""A run and its world."""

from contracts.events.run import (
    CancelRequested,
    EngineeringRequested,
    EnvironmentBuilt,
    EnvironmentRefused,
    EnvironmentRequested,
    RunFailed,
    RunSucceeded,
)

from cli.formatting.event_line import EventLine, describe
from cli.formatting.phrases import bill_text, success, words
from cli.text import limits_text


@describe.register
def _(event: EngineeringRequested) -> EventLine:
    asked = event.assignment
    world = f"{asked.variant.benchmark}, seed {asked.variant.seed}, level {asked.variant.level}"
    acts = "" if event.executor == "code" else f", executor {event.executor}"
    goes_on = f"; continues {event.continues.attempts[-1]}: {event.continues.says}" if event.continues else ""
    return EventLine(
        f"{world}; {asked.quantity} pieces, {limits_text(asked.limits)}; model {event.model}{acts}{goes_on}"
    )


@describe.register
def _(_event: EnvironmentRequested) -> EventLine:
    return EventLine("the world is to be built", "quiet")


@describe.register
def _(event: EnvironmentBuilt) -> EventLine:
    return EventLine(f"the world stands: {len(event.environment.solids)} solids, {event.build_s:.1f} s", "good")


@describe.register
def _(event: EnvironmentRefused) -> EventLine:
    return EventLine(f"the world cannot be worked on ({words(event.reason)}): {event.detail}", "bad")


@describe.register
def _(event: CancelRequested) -> EventLine:
    return EventLine(f"cancel: {event.reason}", "bad")


@describe.register
def _(event: RunSucceeded) -> EventLine:
    return EventLine(f"SOLVED: {bill_text(event.bill)}; {success(event.result)}", "good")


@describe.register
def _(event: RunFailed) -> EventLine:
    return EventLine(f"FAILED ({words(event.reason)}): {event.detail}", "bad")
