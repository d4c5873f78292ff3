"""The files that an engineer left, read from the log alone, and the request of a run that continues with them."""

import io
import zipfile
from collections.abc import Mapping
from typing import Any

import pytest
from artifacts.port import reference
from artifacts.testing import FakeArtifacts
from cli.runs.execution import lines_before_attempt
from contracts.envelope import Event, Role, answering, deciding
from contracts.events.conversation import JournalEntryAdded
from contracts.events.session import CellCompleted, CellRequested, FileWriteRequested, FileWritten
from contracts.models.artifact import ArtifactRef
from contracts.models.benchmark import Budget, Limits
from contracts.models.continuation import Continuation
from contracts.models.observation import Observation
from contracts.models.submission import Submission
from documents.journal import JournalEntry, read_journal
from documents.workspaces.archive import unpack_strictly
from run_requests.errors import EarlierFilesError
from run_requests.previous_files import PreviousFiles, previous_files
from run_requests.request import ContinuationOptions, continuation_request

from tests.agent.role_harness import engineering_requested
from tests.contracts import example_values as values


class RecordedRun:
    """The events of a run, made one by one."""

    def __init__(self) -> None:
        self.artifacts = FakeArtifacts()
        self.events: list[Event] = [engineering_requested()]

    def write(self, path: str, text: str, role: Role = "engineer") -> None:
        request = FileWriteRequested(**deciding(self.events[0], role, len(self.events)), path=path, text=text)
        size, digest = len(text.encode()), values.digest(text)
        written = FileWritten(**answering(request, "cad-worker"), path=path, size_bytes=size, sha256=digest, text=text)
        self.events += [request, written]

    def add_to_journal(self, text: str) -> None:
        request = CellRequested(**deciding(self.events[0], "engineer", len(self.events)), purpose="note", code="1")
        seen = Observation(status="ok")
        completed = CellCompleted(**answering(request, "cad-worker"), observation=seen, journal_md=text)
        self.events += [request, completed]

    async def submit(self, files: Mapping[str, bytes]) -> None:
        ending = Submission(digest=values.digest("x"), files=await self.zipped(files))
        request = CellRequested(**deciding(self.events[0], "engineer", len(self.events)), purpose="submit", code="1")
        observation = Observation(status="ok")
        completed = CellCompleted(**answering(request, "cad-worker"), observation=observation, ending=ending)
        self.events += [request, completed]

    async def zipped(self, files: Mapping[str, bytes]) -> ArtifactRef:
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w") as archive:
            for path, data in files.items():
                archive.writestr(path, data)
        return await self.artifacts.put(buffer.getvalue(), "application/zip")


async def test_files_without_submission_are_the_engineers_last_texts() -> None:
    run = RecordedRun()
    run.write("script.py", "a = 1\n")
    run.write("legs.py", "LEG = 1\n")
    run.write("script.py", "a = 2\n")
    run.write("notes.py", "by = 'the critic'\n", role="critic")
    previous = await previous_files(run.events, None, run.artifacts)
    assert previous.files == {"script.py": "a = 2\n", "legs.py": "LEG = 1\n"}
    assert unpack_strictly(previous.packed()) == previous.files


async def test_files_are_those_submitted_with_later_texts() -> None:
    run = RecordedRun()
    run.write("gone.py", "x = 1\n")
    await run.submit({"script.py": b"a = 1\n", "kernel_wrote.txt": b"42\n"})
    run.write("script.py", "a = 3\n")
    previous = await previous_files(run.events, None, run.artifacts)
    assert previous.files == {"script.py": "a = 3\n", "kernel_wrote.txt": "42\n"}


async def test_journal_has_what_cells_and_system_added() -> None:
    run = RecordedRun()
    own = JournalEntry(number=1, intent="try", result="it fell", reflection="too steep", next_step="flatter")

    def note(first: int, *numbers: int) -> None:
        entry = JournalEntryAdded(
            **deciding(run.events[0], "engineer", len(run.events)),
            own_entries=numbers,
            intent="preview",
            result="solved",
            reflection="it holds",
            next_step="submit",
            from_token=first,
            to_token=first + 9,
        )
        run.events.append(entry)

    run.add_to_journal(f"\n{own.markdown()}")
    note(0, 1)
    await run.submit({"script.py": b"a = 1\n", "journal.md": f"# Journal\n\n{own.markdown()}".encode()})
    note(0, 1)
    note(9)
    journal = read_journal((await previous_files(run.events, None, run.artifacts)).files["journal.md"])
    assert [(entry.intent, entry.covers and entry.covers.from_token) for entry in journal.entries] == [
        ("try", 0),
        ("preview", 9),
    ]


async def test_files_include_those_the_run_started_with() -> None:
    run = RecordedRun()
    first = await run.zipped({"script.py": b"a = 1\n"})
    run.write("legs.py", "LEG = 1\n")
    previous = await previous_files(run.events, first, run.artifacts)
    assert previous.files == {"script.py": "a = 1\n", "legs.py": "LEG = 1\n"}


async def test_files_unfit_for_a_workspace_are_skipped_with_reasons() -> None:
    run = RecordedRun()
    unfit: dict[str, Any] = {
        "shape.npz": b"\x93NUMPY\xff",
        "large.py": b"x" * 300_000,
        ".hidden": b"1",
        "journal.md": b"no journal",
    }
    await run.submit({"script.py": b"a = 1\n", **unfit})
    previous = await previous_files(run.events, None, run.artifacts)
    assert previous.files == {"script.py": "a = 1\n"}
    assert set(previous.skipped) == set(unfit)
    assert all(previous.skipped.values())


async def test_files_that_unpack_to_more_than_a_workspace_are_refused() -> None:
    run = RecordedRun()
    await run.submit({f"{number}.npz": bytes(1 << 24) for number in range(6)})
    with pytest.raises(EarlierFilesError, match="larger than a workspace"):
        await previous_files(run.events, None, run.artifacts)


async def test_missing_artifact_is_a_user_error() -> None:
    missing = reference(b"gone", "application/zip")
    with pytest.raises(EarlierFilesError, match="cannot be fetched"):
        await previous_files([], missing, FakeArtifacts())


def test_continuation_request_changes_only_given_options() -> None:
    earlier = engineering_requested(model="openai:x", executor="tool_call", budget=Budget(max_steps=3, max_tokens=9000))
    continuation = Continuation(
        attempts=(earlier.run_id,), says="go on", workspace=reference(b"", "application/zip"), journal_md="# Journal"
    )
    same = continuation_request(ContinuationOptions(earlier.run_id, "go on"), earlier, continuation)
    assert (same.assignment, same.budget, same.model) == (earlier.assignment, earlier.budget, earlier.model)
    assert (same.executor, same.continues) == ("tool_call", continuation)
    assert same.run_id != earlier.run_id
    options = ContinuationOptions(
        earlier.run_id, "x", "offline", 5, Limits(max_parts=7), budget={"max_steps": 30}, executor="code"
    )
    changed = continuation_request(options, earlier, continuation)
    assert changed.budget == Budget(max_steps=30, max_tokens=9000)
    assert (changed.assignment.limits.max_parts, changed.assignment.quantity) == (7, 5)
    assert changed.assignment.limits.max_mass_kg == earlier.assignment.limits.max_mass_kg
    assert (changed.model, changed.executor) == ("offline", "code")


@pytest.mark.parametrize(("model", "is_read"), [("offline", False), ("openai:x", True)])
def test_expert_that_cannot_use_the_instruction_says_so_before_it_starts(model: str, is_read: bool) -> None:
    earlier = engineering_requested(model=model)
    continuation = Continuation(
        attempts=(earlier.run_id,), says="go on", workspace=reference(b"", "application/zip"), journal_md="# Journal"
    )
    request = continuation_request(ContinuationOptions(earlier.run_id, "use fewer legs"), earlier, continuation)
    lines = list(lines_before_attempt(request, PreviousFiles({"script.py": ""}, {"big.bin": "it is too large"})))
    unread = [line for line in lines if "does not read the text of --say" in line]
    assert [("solves the same variant again" in line, "--model PROVIDER:NAME" in line) for line in unread] == (
        [] if is_read else [(True, True)]
    )
    assert lines[-2:] == ["attempt 2 starts with script.py", "left out: big.bin: it is too large"]
    assert lines[0] == (unread[0] if unread else lines[-2])
