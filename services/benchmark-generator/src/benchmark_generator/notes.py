"""Notes of the benchmark-generator on a run."""

from agent.loop.tool_calls import CallNotes
from contracts.events.benchmark import BenchmarkFiles, BenchmarkRequested
from pydantic import NonNegativeInt


class GeneratorNotes(CallNotes):
    """The benchmark-generator's notes on a run."""

    request: BenchmarkRequested | None = None
    plan_md: str = ""
    """The newest plan."""
    is_planned: bool = False
    """Whether the newest plan is approved, so that files are written."""
    files: BenchmarkFiles = BenchmarkFiles()
    """As the model has written them up to now."""
    plans: NonNegativeInt = 0
    """Proposed up to now."""
    drafts: NonNegativeInt = 0
    """Submitted up to now."""
    calls_made: NonNegativeInt = 0
    """Of the model."""
    ended: bool = False
