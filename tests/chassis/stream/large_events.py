"""Events with large texts, for the tests of large fields."""

from uuid import UUID, uuid4

from chassis.stream.large_fields import LARGE_BYTES
from contracts.envelope import Event, LargeField
from contracts.events.session import FileWriteRequested
from contracts.models.artifact import ArtifactRef

from tests.contracts.examples import full_examples

EXAMPLES = full_examples()
LARGE = "ab" * LARGE_BYTES


def write_of(text: str, run_id: UUID | None = None) -> FileWriteRequested:
    """Return a request that contains a text."""
    return FileWriteRequested(
        id=uuid4(), run_id=run_id or uuid4(), role="engineer", producer="engineer", path="script.py", text=text
    )


def with_large_fields(event: Event, fields: list[tuple[str, ArtifactRef]]) -> Event:
    """Return an event as it could arrive from another process, with these large fields."""
    named = tuple(LargeField(pointer=pointer, artifact=ref) for pointer, ref in fields)
    return event.model_copy(update={"large_fields": named})
