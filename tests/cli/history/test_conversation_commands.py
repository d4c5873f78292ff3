"""`conversation` and `journal`: what a role and its model wrote, complete, from the database."""

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from uuid import UUID

import pytest
from artifacts.client import Artifacts
from artifacts.settings import S3Settings
from chassis.stream.large_fields import LargeFields
from chassis.testing import FakeBus
from cli.commands.history.conversation import ConversationMessage
from contracts.envelope import Event
from contracts.events.conversation import ModelCalled
from contracts.events.session import FileWriteRequested
from contracts.models.artifact import ArtifactRef
from contracts.models.conversation import Message
from store.database import Database
from store.log import EventLog, LogEntry
from store.settings import DatabaseSettings

from tests.cli.conftest import CommandResult, RunCommand
from tests.contracts import example_values as values
from tests.engineer.engineer_harness import EngineerHarness, cell_reply, invalidated, write_reply

HOSTILE = "\x1b[2J\u202e[bold red]</pre>"
LONG = f"begin {'z' * 70_000} end"


@dataclass(frozen=True)
class RecordedRun:
    """A run in the database."""

    run_id: UUID
    events: list[Event]
    environment: dict[str, str]
    """The variables that name its servers."""

    @property
    def messages(self) -> list[Message]:
        """Every message, in order."""
        calls = [event for event in self.events if isinstance(event, ModelCalled)]
        return [message for call in calls for message in (*call.new_messages, call.reply)]


async def _engineer_run() -> list[Event]:
    """Return a run with a malformed reply, a tool call, a verdict, and texts that no terminal should receive."""
    harness = EngineerHarness(
        cell_reply("simulate(a)", reasoning=HOSTILE),
        "no form",
        cell_reply("submit_for_review(a)"),
        write_reply("script.py", LONG, thought="write it again"),
        cell_reply("x"),
        bus=FakeBus(),
    )
    (preview,) = await harness.start()
    (problem,) = await harness.complete_cell(preview, f"{HOSTILE}\n~~~~\n## Forged")
    hand_in = (await harness.consume(problem))[-1]
    (submitted,) = await harness.complete_cell(hand_in, ending=values.SUBMISSION)
    write = (await harness.consume(invalidated(submitted)))[-1]
    assert isinstance(write, FileWriteRequested)
    await harness.complete_write(write)
    return harness.bus.events


class UncheckedArtifacts:
    """Artifacts that count as uploaded whether they exist or not: the examples of events name some that do not."""

    def __init__(self, artifacts: Artifacts) -> None:
        self._artifacts = artifacts

    async def put(self, data: bytes, media_type: str) -> ArtifactRef:
        ref = await self._artifacts.put(data, media_type)
        await self._artifacts.wait_until_uploaded([ref])
        return ref

    async def get(self, ref: ArtifactRef) -> bytes:
        return await self._artifacts.get(ref)

    async def wait_until_uploaded(self, refs: Iterable[ArtifactRef]) -> None:
        """Take what an event names as stored."""


async def _record(events: list[Event], database_url: str, s3: S3Settings) -> int:
    """Write events into the log as the recorder does; return how many have texts stored as artifacts."""
    artifacts, database = Artifacts(s3), Database(DatabaseSettings(database_url=database_url))
    await artifacts.start()
    await database.start()
    fields = LargeFields(UncheckedArtifacts(artifacts))
    bodies = [await fields.encode(event) for event in events]
    entries = [
        LogEntry(event=event, body=body, stream_sequence=number)
        for number, (event, body) in enumerate(zip(events, bodies, strict=True), start=1)
    ]
    await EventLog(database.engine).append(entries)
    await database.stop()
    await artifacts.stop()
    return sum(b'"pointer"' in body for body in bodies)


@pytest.fixture(scope="module")
def recorded(database_url: str, s3_settings: S3Settings) -> RecordedRun:
    """A run in the database, which tests only read."""
    events = asyncio.run(_engineer_run())
    assert asyncio.run(_record(events, database_url, s3_settings)) > 0
    environment = {
        "DATABASE_URL": database_url,
        "S3_ENDPOINT": s3_settings.s3_endpoint,
        "S3_ACCESS_KEY": s3_settings.s3_access_key,
        "S3_SECRET_KEY": s3_settings.s3_secret_key,
        "ARTIFACTS_SPOOL": str(s3_settings.artifacts_spool),
    }
    return RecordedRun(events[0].run_id, events, environment)


Show = Callable[..., CommandResult]


@pytest.fixture
def show(recorded: RecordedRun, run_command: RunCommand) -> Show:
    """Return a function that runs a command on the recorded run."""

    def call(command: str, *options: str) -> CommandResult:
        return run_command(command, str(recorded.run_id), *options, **recorded.environment)

    return call


def test_conversation_as_json_is_complete(recorded: RecordedRun, show: Show) -> None:
    result = show("conversation", "--json")
    assert result.code == 0, result
    shown = [ConversationMessage.model_validate_json(line) for line in result.output.splitlines()]
    assert [each.message for each in shown] == recorded.messages
    assert [each.to_token for each in shown[:-1]] == [each.from_token for each in shown[1:]]
    assert [each.message.text for each in shown if each.unread] == ["no form"]
    calls = [call for each in shown for call in each.message.tool_calls]
    assert [LONG in call.arguments_json for call in calls] == [True]


def test_conversation_escapes_what_models_wrote(show: Show) -> None:
    result = show("conversation")
    assert result.code == 0, result
    assert "\x1b" not in result.output
    assert "\u202e" not in result.output
    assert r"\x1b[2J\u202e[bold red]" in result.output
    assert "~~~~~text" in result.output, "the fence is longer than any inside"


def test_conversation_as_seen_shows_the_prompt_of_a_step(recorded: RecordedRun, show: Show) -> None:
    result = show("conversation", "--as-seen", "4", "--json")
    assert result.code == 0, result
    prompt = [Message.model_validate_json(line) for line in result.output.splitlines()]
    assert [message.text for message in prompt].count("no form") == 1, "a rejected reply is shown with its correction"
    assert prompt[0] == recorded.messages[0]
    result = show("conversation", "--as-seen", "99")
    assert (result.code, "step 99" in result.errors, "2, 3, 4" in result.errors) == (2, True, True)


def test_journal_lists_entries_and_opens_one_at_each_depth(show: Show) -> None:
    result = show("journal")
    assert result.code == 0, result
    headings = ("### Entry 1 (trial)", "### Entry 2 (verdict)", "### Open end")
    positions = [result.output.index(heading) for heading in headings]
    assert positions == sorted(positions)
    result = show("journal", "--entry", "2", "--depth", "headings")
    assert (result.code, "Purpose" in result.output and "Next goal" in result.output) == (0, True)
    result = show("journal", "--entry", "2", "--depth", "transcript")
    assert (result.code, "submit_for_review(a)" in result.output) == (0, True)
    result = show("journal", "--entry", "7")
    assert (result.code, "no entry 7" in result.errors) == (2, True)


def test_unknown_role_and_role_without_calls_are_refused(show: Show) -> None:
    result = show("conversation", "--role", "smith")
    assert (result.code, "'smith'" in result.errors, "planner, engineer" in result.errors) == (2, True, True)
    result = show("conversation", "--role", "critic")
    assert (result.code, "critic" in result.errors) == (2, True)
