"""Ten typos in the construction of events: `./run check` fails if pyright does not see one of them.

Each `pyright: ignore` names the error that it expects. Without an error, the comment is unnecessary, which is one.
"""

# pyright: reportUnnecessaryTypeIgnoreComment=true

from agent.loop.role import StepEvents
from contracts.envelope import answering, deciding, during
from contracts.events.conversation import JournalEntryAdded
from contracts.events.question import QuestionFailed
from contracts.events.run import EngineeringRequested, RunFailed
from contracts.events.session import CellRequested, FileRefused, FileViewed, SessionFailed

CAD = "cad-worker"


def mistyped(cause: EngineeringRequested, events: StepEvents) -> tuple[object, ...]:
    """Return events that cannot be built; pyright alone reads this."""
    return (
        CellRequested(**events.next(), purpose="look", code="1", timout_s=5.0),  # pyright: ignore[reportCallIssue]
        CellRequested(**events.next(), purpose="look"),  # pyright: ignore[reportCallIssue]
        CellRequested(**events.next(), purpose="look", code=1),  # pyright: ignore[reportArgumentType]
        RunFailed(**answering(cause, CAD), reason="tired", detail=""),  # pyright: ignore[reportArgumentType]
        SessionFailed(**during(cause, 1, CAD), reason="kernel_failed", detail=""),  # pyright: ignore[reportArgumentType]
        FileRefused(**deciding(cause, "enginer", 1), path="a", reason="too_large", detail=""),  # pyright: ignore[reportArgumentType]
        JournalEntryAdded(**events.next_entry(), intent="", result="", reflexion="", next_step=""),  # pyright: ignore[reportCallIssue]
        FileViewed(**answering(cause), path="a", text="", from_line=1, total_lines=1),  # pyright: ignore[reportCallIssue, reportUnknownArgumentType]
        QuestionFailed(**answering("cause", CAD), reason="refused", detail=""),  # pyright: ignore[reportArgumentType]
        RunFailed(**answering(cause, CAD), reason="refused", detail="", role="planner"),  # pyright: ignore[reportCallIssue]
    )
