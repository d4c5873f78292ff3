"""Conversations for training: the columns of TRL and verifiers, splits by family, and nothing of the machine."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
import yaml
from artifacts.testing import FakeArtifacts
from cli.export.redaction import Redaction, known_secrets
from cli.export.rows import ChatImage, ChatMessage, ChatToolCall, ConversationRow, FunctionCall, RunRow
from cli.export.tables import rows_of
from cli.export.training_files import TrainingFormat, TrainingWriter, origins
from cli.export.training_rows import TrlExample, VerifiersRollout, split_of
from local_stack.settings import read_settings

from tests.support.event_logs.recorded_run import names, read

KEYS = (
    "sk-" + "proj-Ab3dEf6hIj9lMn2pQr5t",
    "gh" + "p_Ab3dEf6hIj9lMn2pQr5tUv8x",
    "h" + "f_Ab3dEf6hIj9lMn2pQr5tUv8x",
    "AK" + "IAIOSFODNN7EXAMPLE",
    "ey" + "JhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmN",
)
PATHS = (
    *("/" + each for each in ("home/jane/designs/ramp.py", "root/.ssh/id_ed25519", "srv/projects/secret-lift")),
    "~/" + ".config/millwright",
    "C:" + "\\Users\\jane\\ramp.py",
)
PEM = "-----BEGIN " + "OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXk\nAAAAB3\n-----END OPENSSH PRIVATE KEY-----"
OWN_KEY = "correct horse battery staple"
PASSWORD = "hunter2hunter2"


def conversation(*messages: ChatMessage, benchmark: str = "slide-box", reward: float | None = 1.0) -> ConversationRow:
    return ConversationRow(
        run_id=UUID(int=1),
        role="engineer",
        benchmark=benchmark,
        seed=3,
        model="offline",
        reward=reward,
        tools="[]",
        messages=(ChatMessage(role="system", content="You design."), *messages, reply("Done.")),
    )


def reply(text: str, **arguments: object) -> ChatMessage:
    call = ChatToolCall(id="c1", function=FunctionCall(name="run_cell", arguments=json.dumps(arguments)))
    return ChatMessage(role="assistant", content=text, tool_calls=(call,) if arguments else ())


def write(
    folder: Path, form: TrainingFormat, rows: Sequence[ConversationRow], redaction: Redaction
) -> tuple[TrainingWriter, dict[str, list[dict[str, Any]]]]:
    with TrainingWriter(folder, form, redaction) as writer:
        for row in rows:
            writer.write(row)
    return writer, {
        path.stem: [json.loads(line) for line in path.read_text().splitlines()] for path in folder.glob("*.jsonl")
    }


async def recorded() -> list[ConversationRow]:
    logs = [await read(name) for name in names()]
    rows = [row for log in logs async for row in rows_of(log.events, log.artifacts)]
    return [row for row in rows if isinstance(row, ConversationRow)]


@pytest.mark.parametrize("form", ["trl", "verifiers"])
def test_planted_secrets_and_paths_are_in_no_file(form: TrainingFormat, tmp_path: Path) -> None:
    address = f"postgres://jane:{PASSWORD}@db/runs"
    planted = [*KEYS, *PATHS, PEM, OWN_KEY, address, f"MY_API_KEY={PASSWORD}", f"Bearer {PASSWORD}{PASSWORD}"]
    rows = [
        conversation(
            ChatMessage(role="user", content=f"Read `{each}`,\n{each}\nand go on."),
            reply(f"I read {each}.", code=f'open("{each}")\n{each}\n', nested=[{each: each}, each]),
            ChatMessage(
                role="tool", content=f'File "{each}", line 3', tool_call_id="c1", images=(picture("0" * 64, each),)
            ),
        )
        for each in planted
    ]
    writer, _ = write(tmp_path, form, rows, Redaction([OWN_KEY]))
    text = (tmp_path / "test.jsonl").read_text() + writer.card()
    left = [each for each in (*KEYS, PASSWORD, OWN_KEY, "b3BlbnNzaC1rZXk", "jane", "id_ed25519") if each in text]
    assert left == []
    assert [name for name in ("secret-lift", ".config") if name in text] == []
    assert "and go on." in text
    assert "Removed: 0 secrets" not in writer.card()


def picture(sha256: str, caption: str) -> ChatImage:
    return ChatImage(sha256=sha256, media_type="image/png", size_bytes=3, caption=caption)


def test_keys_of_this_machine_are_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", OWN_KEY)
    monkeypatch.setenv("S3_SECRET_KEY", PASSWORD)
    cleaned = Redaction(known_secrets(read_settings())).clean(f"keys: {OWN_KEY}, {PASSWORD}")
    assert cleaned == "keys: <secret>, <secret>"


async def test_recorded_runs_hold_neither_secrets_nor_paths_and_lose_nothing(tmp_path: Path) -> None:
    redaction = Redaction()
    _, splits = write(tmp_path, "trl", await recorded(), redaction)
    assert redaction.counts.total() == 0
    written = [message["content"] for rows in splits.values() for row in rows for message in row["messages"]]
    source = [message.content for row in await recorded() for message in row.messages]
    assert sorted(text.partition("\n\n![")[0] for text in written) == sorted(source)


async def test_family_is_in_one_split_only(tmp_path: Path) -> None:
    first = await recorded()
    others = [row.model_copy(update={"benchmark": f"family-{n % 40}", "seed": n}) for n, row in enumerate(first * 6)]
    _, splits = write(tmp_path, "trl", [*first, *others], Redaction())
    assert set(splits) == {"train", "validation", "test"}
    split_by_family = {(row["family"], split) for split, rows in splits.items() for row in rows}
    assert len(split_by_family) == len({family for family, _ in split_by_family}) > 40
    assert split_of("slide-box") == split_of("slide-box")


async def test_trl_rows_have_messages_with_called_tools_among_their_tools(tmp_path: Path) -> None:
    _, splits = write(tmp_path, "trl", await recorded(), Redaction())
    rows = [row for rows in splits.values() for row in rows]
    called = 0
    for row in rows:
        TrlExample.model_validate(row)
        assert row["messages"][0]["role"] == "system"
        tools = {each["function"]["name"]: each["function"]["parameters"] for each in json.loads(row["tools"])}
        ids: set[str] = set()
        for message in row["messages"]:
            for call in message.get("tool_calls", ()):
                called += 1
                ids.add(call["id"])
                function = call["function"]
                assert function["arguments"].keys() <= tools[function["name"]]["properties"].keys()
            if message["role"] == "tool":
                assert message["tool_call_id"] in ids
                assert message["name"] in tools
    assert called > 10
    assert {row["reward"] for row in rows} == {1.0}


async def test_verifiers_rollouts_begin_with_the_prompt_and_keep_every_message(tmp_path: Path) -> None:
    source = await recorded()
    _, splits = write(tmp_path, "verifiers", source, Redaction())
    rows = [VerifiersRollout.model_validate(row) for rows in splits.values() for row in rows]
    lengths = sorted(len(row.prompt) + len(row.completion) for row in rows)
    assert lengths == sorted(len(row.messages) for row in source)
    for row in rows:
        assert {each.role for each in row.prompt} <= {"system", "user"}
        assert row.completion[0].role == "assistant"
        assert {"run_id", "seed", "role", "model", "pictures", "tools"} == json.loads(row.info).keys()
    assert len({row.example_id for row in rows}) == len(rows)


async def test_pictures_are_links_to_files_of_the_folder(tmp_path: Path) -> None:
    artifacts = FakeArtifacts()
    ref = await artifacts.put(b"png", "image/png")
    seen = ChatMessage(role="user", content="Look.", images=(picture(ref.sha256, "from above"), picture("f" * 64, "x")))
    writer, splits = write(tmp_path, "trl", [conversation(seen)], Redaction())
    await writer.write_pictures(artifacts)
    (row,) = splits["test"]
    assert f"![from above](pictures/{ref.sha256}.png)" in row["messages"][1]["content"]
    assert (tmp_path / row["pictures"][0]["file"]).read_bytes() == b"png"
    assert "Pictures: 1 of 2 files exist" in writer.card()


def test_run_that_goes_on_has_no_row(tmp_path: Path) -> None:
    writer, splits = write(tmp_path, "trl", [conversation(reward=None)], Redaction())
    assert (splits, writer.families.total()) == ({}, 0)


async def test_run_that_was_cancelled_has_no_row(tmp_path: Path) -> None:
    log = await read("offline-chute")
    rows = [row async for row in rows_of(log.events, log.artifacts)]
    with TrainingWriter(tmp_path, "trl", Redaction()) as writer:
        for row in rows:
            writer.write(row.model_copy(update={"reason": "cancelled"}) if isinstance(row, RunRow) else row)
    assert writer.families.total() == 0


@pytest.mark.parametrize(("form", "row"), [("trl", TrlExample), ("verifiers", VerifiersRollout)])
def test_card_names_origin_and_licence_of_every_column(
    form: TrainingFormat, row: type[TrlExample | VerifiersRollout], tmp_path: Path
) -> None:
    writer, _ = write(tmp_path, form, [conversation()], Redaction())
    card = writer.card()
    assert "      - split: test\n        path: test.jsonl" in card
    assert "| slide-box | test | 1 |" in card
    declared = yaml.safe_load(card.split("---\n")[1])["dataset_info"]["features"]
    assert [each["name"] for each in declared] == list(row.model_fields)
    messages = next(each for each in declared if "list" in each)
    assert {"name": "tool_calls", "list": "json"} in messages["list"]
    for name, origin in origins(row).items():
        assert f"| `{name}` | {origin.source} | {origin.licence} |" in card
        assert origin.source
        assert origin.licence
