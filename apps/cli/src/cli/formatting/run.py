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

from cli.formatting.event_line import Gist, tell
from cli.formatting.phrases import bill_text, success, words
from cli.text import limits_text


@tell.register
def _(event: EngineeringRequested) -> Gist:
    asked = event.assignment
    world = f"{asked.variant.benchmark}, seed {asked.variant.seed}, level {asked.variant.level}"
    acts = "" if event.executor == "code" else f", executor {event.executor}"
    goes_on = f"; continues {event.continues.attempts[-1]}: {event.continues.says}" if event.continues else ""
    return Gist(f"{world}; {asked.quantity} pieces, {limits_text(asked.limits)}; model {event.model}{acts}{goes_on}")


@tell.register
def _(_event: EnvironmentRequested) -> Gist:
    return Gist("the world is to be built", "quiet")


@tell.register
def _(event: EnvironmentBuilt) -> Gist:
    return Gist(f"the world stands: {len(event.environment.solids)} solids, {event.build_s:.1f} s", "good")


@tell.register
def _(event: EnvironmentRefused) -> Gist:
    return Gist(f"the world cannot be worked on ({words(event.reason)}): {event.detail}", "bad")


@tell.register
def _(event: CancelRequested) -> Gist:
    return Gist(f"cancel: {event.reason}", "bad")


@tell.register
def _(event: RunSucceeded) -> Gist:
    return Gist(f"SOLVED: {bill_text(event.bill)}; {success(event.result)}", "good")


@tell.register
def _(event: RunFailed) -> Gist:
    return Gist(f"FAILED ({words(event.reason)}): {event.detail}", "bad")
