"""Sessions of earlier runs, from which a session of a forked run goes on."""

from collections.abc import Sequence

from artifacts.port import ArtifactStore, get_json
from contracts.envelope import Event
from contracts.events.session import SessionRequested
from contracts.models.continuation import SessionRecord
from contracts.registry import parse
from documents.workspaces.archive import InvalidWorkspaceError
from pydantic import ValidationError

from kernel_host.sessions.session_history import OpeningRequest

MAX_RECORD_BYTES = 64 * 1024 * 1024


def is_fork(request: OpeningRequest) -> bool:
    """Return whether a session goes on from one of an earlier run."""
    return isinstance(request, SessionRequested) and request.record is not None


async def earlier_events(request: OpeningRequest, artifacts: ArtifactStore) -> Sequence[Event]:
    """Return the events that a session repeats before its own, none for most sessions.

    Raises `InvalidWorkspaceError` for a record that cannot be used.
    """
    if not isinstance(request, SessionRequested) or request.record is None:
        return ()
    if request.record.size_bytes > MAX_RECORD_BYTES:
        raise InvalidWorkspaceError(f"the record of the earlier session has {request.record.size_bytes} bytes")
    try:
        record = await get_json(artifacts, request.record, SessionRecord)
        return [parse(each.subject, each.body.encode()) for each in record.events]
    except ValidationError as error:
        raise InvalidWorkspaceError(f"the record of the earlier session cannot be read: {error}") from error


def as_it_began(request: SessionRequested, earlier: Sequence[Event]) -> SessionRequested:
    """Return the request with the files and the plan that the earlier session began with, if there is one."""
    first = next((event for event in earlier if isinstance(event, SessionRequested)), None)
    if first is None:
        return request
    return request.model_copy(update={"files": first.files, "plan_md": first.plan_md, "todo_md": first.todo_md})
