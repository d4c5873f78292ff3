"""The conversation and the journal of a run, told by the commands from the database, word by word."""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass
from uuid import UUID

import pytest
from artifacts.client import Artifacts
from artifacts.settings import S3Settings
from chassis.stream.large_fields import LargeFields
from chassis.testing import FakeBus
from cli.commands.conversation import Said
from cli.main import app
from contracts.envelope import Event
from contracts.events.conversation import ModelCalled
from contracts.events.session import FileWriteRequested
from contracts.models.artifact import ArtifactRef
from contracts.models.conversation import Message
from store.database import Database
from store.log import EventLog, LogEntry
from store.settings import DatabaseSettings
from typer.testing import CliRunner

from tests.contracts import example_values as values
from tests.engineer.engineer_harness import EngineerHarness, cell_reply, invalidated, write_reply

HOSTILE = "\x1b[2J\u202e[bold red]</pre>"
LONG = f"begin {'z' * 70_000} end"


@dataclass(frozen=True)
class Told:
    """A run in the database, and how commands reach it."""

    run_id: UUID
    events: list[Event]
    environment: dict[str, str]

    def ask(self, *arguments: str) -> tuple[int, str]:
        """Run a command about the run."""
        command, *rest = arguments
        result = CliRunner().invoke(app, [command, str(self.run_id), *rest], env=self.environment)
        return result.exit_code, result.output

    @property
    def said(self) -> list[Message]:
        """Every message, in order."""
        calls = [event for event in self.events if isinstance(event, ModelCalled)]
        return [message for call in calls for message in (*call.new_messages, call.reply)]


async def _walked() -> list[Event]:
    """Return a run with a malformed reply, a tool call, a verdict, and texts that no terminal should see."""
    walk = EngineerHarness(
        cell_reply("simulate(a)", reasoning=HOSTILE),
        "no form",
        cell_reply("submit_for_review(a)"),
        write_reply("script.py", LONG, thought="write it anew"),
        cell_reply("x"),
        bus=FakeBus(),
    )
    (preview,) = await walk.start()
    (problem,) = await walk.complete_cell(preview, f"{HOSTILE}\n~~~~\n## Forged")
    hand_in = (await walk.consume(problem))[-1]
    (submitted,) = await walk.complete_cell(hand_in, ending=values.SUBMISSION)
    write = (await walk.consume(invalidated(submitted)))[-1]
    assert isinstance(write, FileWriteRequested)
    await walk.complete_write(write)
    return walk.bus.events


class Texts:
    """Blobs that ask after no artifact of others: the examples of events name some that nobody stored."""

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


async def _recorded(events: list[Event], database_url: str, s3: S3Settings) -> int:
    """Write events into the log as the recorder does, long texts apart; return how many travelled apart."""
    artifacts, database = Artifacts(s3), Database(DatabaseSettings(database_url=database_url))
    await artifacts.start()
    await database.start()
    fields = LargeFields(Texts(artifacts))
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
def told(database_url: str, s3_settings: S3Settings) -> Told:
    """A run in the database; tests only look at it."""
    events = asyncio.run(_walked())
    assert asyncio.run(_recorded(events, database_url, s3_settings)) > 0
    environment = {
        "DATABASE_URL": database_url,
        "S3_ENDPOINT": s3_settings.s3_endpoint,
        "S3_ACCESS_KEY": s3_settings.s3_access_key,
        "S3_SECRET_KEY": s3_settings.s3_secret_key,
        "ARTIFACTS_SPOOL": str(s3_settings.artifacts_spool),
    }
    return Told(events[0].run_id, events, environment)


def test_the_whole_conversation_comes_back_exactly_with_its_tool_calls_and_long_texts(told: Told) -> None:
    code, output = told.ask("conversation", "--json")
    assert code == 0, output
    said = [Said.model_validate_json(line) for line in output.splitlines()]
    assert [each.message for each in said] == told.said
    assert [each.to_token for each in said[:-1]] == [each.from_token for each in said[1:]]
    assert [each.message.text for each in said if each.unread] == ["no form"]
    calls = [call for each in said for call in each.message.tool_calls]
    assert [LONG in call.arguments_json for call in calls] == [True]


def test_what_models_wrote_reaches_the_terminal_escaped(told: Told) -> None:
    code, output = told.ask("conversation")
    assert code == 0, output
    assert "\x1b" not in output
    assert "\u202e" not in output
    assert r"\x1b[2J\u202e[bold red]" in output
    assert "~~~~~text" in output, "the fence is longer than any inside"


def test_what_the_model_saw_at_a_step_is_told(told: Told) -> None:
    code, output = told.ask("conversation", "--as-seen", "4", "--json")
    assert code == 0, output
    seen = [Message.model_validate_json(line) for line in output.splitlines()]
    assert "no form" not in [message.text for message in seen]
    assert seen[0] == told.said[0]
    code, output = told.ask("conversation", "--as-seen", "99")
    assert (code, "engineer asked no model at step 99; it did at 2, 3, 4" in output) == (2, True)


def test_the_journal_tells_its_entries_and_opens_one_as_far_as_is_wanted(told: Told) -> None:
    code, output = told.ask("journal")
    assert code == 0, output
    assert output.index("### Entry 1 (trial)") < output.index("### Entry 2 (verdict)") < output.index("### Open end")
    code, output = told.ask("journal", "--entry", "2", "--depth", "headings")
    assert (code, "Purpose" in output and "Next goal" in output) == (0, True)
    code, output = told.ask("journal", "--entry", "2", "--depth", "transcript")
    assert (code, "submit_for_review(a)" in output) == (0, True)
    code, output = told.ask("journal", "--entry", "7")
    assert (code, "the journal has no entry 7; it has 1 to 2" in output) == (2, True)


def test_a_role_that_there_is_not_and_a_run_that_there_is_not_are_said_in_one_line(told: Told) -> None:
    assert "'smith' is no role: there are planner, engineer" in told.ask("conversation", "--role", "smith")[1]
    assert "critic asked no model in this run" in told.ask("conversation", "--role", "critic")[1]
