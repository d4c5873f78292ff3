"""Notes of the benchmark-generator on a run."""

from agent.kernel_session.notes import SessionNotes
from contracts.events.benchmark import BenchmarkRequested
from pydantic import NonNegativeInt


class GeneratorNotes(SessionNotes):
    """The benchmark-generator's notes on a run."""

    request: BenchmarkRequested | None = None
    plan_md: str = ""
    """The newest plan."""
    is_planned: bool = False
    """Whether the newest plan is approved, so that the author works in its kernel."""
    plans: NonNegativeInt = 0
    """Proposed up to now."""
    drafts: NonNegativeInt = 0
    """Submitted up to now."""
    calls_made: NonNegativeInt = 0
    """Of the model."""
    ended: bool = False

    @property
    def opening(self) -> BenchmarkRequested:
        """The request, once the run is open."""
        assert self.request is not None
        return self.request
