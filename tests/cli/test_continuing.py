"""What an engineer left is gathered from the log alone, and only what a workspace may begin with goes on."""

import io
import zipfile
from collections.abc import Mapping

import pytest
from artifacts.port import reference
from artifacts.testing import FakeArtifacts
from cad_worker.sessions.earlier_files import first_files
from cli.runs.previous_files import previous_files
from cli.runs.request import ContinuationOptions, continuation_request
from contracts.envelope import Event, Role
from contracts.events.session import CellCompleted, CellRequested, FileWriteRequested, FileWritten
from contracts.models.artifact import ArtifactRef
from contracts.models.benchmark import Budget, Limits
from contracts.models.continuation import Continuation
from contracts.models.observation import Observation
from contracts.models.submission import Submission
from local_stack.errors import UserError

from tests.agent.role_play import engineering_requested
from tests.contracts import example_values as values


class Story:
    """What an engineer did, event by event."""

    def __init__(self) -> None:
        self.artifacts = FakeArtifacts()
        self.events: list[Event] = [engineering_requested()]

    def writes(self, path: str, text: str, role: Role = "engineer") -> None:
        asked = FileWriteRequested.deciding(self.events[0], role, len(self.events), path=path, text=text)
        size, digest = len(text.encode()), values.digest(text)
        said = FileWritten.answering(asked, "cad-worker", path=path, size_bytes=size, sha256=digest, text=text)
        self.events += [asked, said]

    async def submits(self, files: Mapping[str, bytes]) -> None:
        ending = Submission(digest=values.digest("x"), files=await self.zipped(files))
        asked = CellRequested.deciding(self.events[0], "engineer", len(self.events), purpose="submit", code="1")
        seen = Observation(status="ok")
        self.events += [asked, CellCompleted.answering(asked, "cad-worker", observation=seen, ending=ending)]

    async def zipped(self, files: Mapping[str, bytes]) -> ArtifactRef:
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w") as archive:
            for path, data in files.items():
                archive.writestr(path, data)
        return await self.artifacts.put(buffer.getvalue(), "application/zip")


async def test_without_a_submission_the_last_text_of_each_file_is_what_is_left() -> None:
    story = Story()
    story.writes("script.py", "a = 1\n")
    story.writes("legs.py", "LEG = 1\n")
    story.writes("script.py", "a = 2\n")
    story.writes("notes.py", "of = 'somebody else'\n", role="critic")
    left = await previous_files(story.events, None, story.artifacts)
    assert left.files == {"script.py": "a = 2\n", "legs.py": "LEG = 1\n"}
    assert first_files(left.packed()) == left.files


async def test_a_submission_is_the_whole_workspace_and_what_was_written_later_stands_over_it() -> None:
    story = Story()
    story.writes("gone.py", "x = 1\n")
    await story.submits({"script.py": b"a = 1\n", "kernel_wrote.txt": b"42\n"})
    story.writes("script.py", "a = 3\n")
    left = await previous_files(story.events, None, story.artifacts)
    assert left.files == {"script.py": "a = 3\n", "kernel_wrote.txt": "42\n"}


async def test_a_run_that_wrote_nothing_leaves_what_it_began_with() -> None:
    story = Story()
    first = await story.zipped({"script.py": b"a = 1\n"})
    story.writes("legs.py", "LEG = 1\n")
    left = await previous_files(story.events, first, story.artifacts)
    assert left.files == {"script.py": "a = 1\n", "legs.py": "LEG = 1\n"}


async def test_what_no_workspace_can_begin_with_is_left_out_and_told() -> None:
    story = Story()
    odd = {"shape.npz": b"\x93NUMPY\xff", "large.py": b"x" * 300_000, ".hidden": b"1", "journal.md": b"no journal"}
    await story.submits({"script.py": b"a = 1\n", **odd})
    left = await previous_files(story.events, None, story.artifacts)
    assert left.files == {"script.py": "a = 1\n"}
    assert set(left.skipped) == set(odd)
    assert all(left.skipped.values())


async def test_files_that_nobody_kept_are_named() -> None:
    nowhere = reference(b"gone", "application/zip")
    with pytest.raises(UserError, match="cannot be fetched"):
        await previous_files([], nowhere, FakeArtifacts())


def test_the_world_and_all_that_is_not_said_anew_stays() -> None:
    earlier = engineering_requested(model="openai:x", executor="tool_call", budget=Budget(max_steps=3, max_tokens=9000))
    continuation = Continuation(
        attempts=(earlier.run_id,), says="go on", workspace=reference(b"", "application/zip"), journal_md="# Journal"
    )
    same = continuation_request(ContinuationOptions(earlier.run_id, "go on"), earlier, continuation)
    assert (same.assignment, same.budget, same.model) == (earlier.assignment, earlier.budget, earlier.model)
    assert (same.executor, same.continues) == ("tool_call", continuation)
    assert same.run_id != earlier.run_id
    limits, budget = Limits(max_parts=7), {"max_steps": 30}
    other = continuation_request(
        ContinuationOptions(earlier.run_id, "x", "offline", 5, limits, budget, "code"), earlier, continuation
    )
    assert other.budget == Budget(max_steps=30, max_tokens=9000)
    assert (other.assignment.limits.max_parts, other.assignment.quantity) == (7, 5)
    assert other.assignment.limits.max_mass_kg == earlier.assignment.limits.max_mass_kg
    assert (other.model, other.executor) == ("offline", "code")
