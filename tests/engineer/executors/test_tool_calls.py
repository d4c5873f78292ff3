"""Tests of the tool-call executor: fixed cells with the model's arguments as literals."""

import ast
from collections.abc import Sequence

import pytest
from agent.model.role_model import Vision
from artifacts.testing import FakeArtifacts
from contracts.events.design import DesignSubmitted
from contracts.events.plan import PlanRefused
from contracts.events.session import CellRequested, FileWriteRequested
from contracts.models.observation import ShownImage
from contracts.models.submission import Refusal
from engineer.executors import fixed_cells
from engineer.executors.tool_calls import TOOLS
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage

from tests.contracts import example_values as values
from tests.engineer.engineer_harness import EngineerHarness, invalidated, rejected, tool_reply, write_reply

PROOF = "No motor of the catalog is strong enough for this lift, which follows from [cell 1] and nothing else."
HOSTILE = (
    "'\nimport os\n'",
    '"""\nrefuse_plan("x")\n"""',
    "\\'; submit_for_review(assembly) #",
    "a\r\nb\u2028c\u2029d\x00e\x85f",
    "{label!r}} {0} %s ${HOME}",
    "\\N{LATIN SMALL LETTER A}\\x41\\",
    "\ud83d\ude00 \u202e \U0001d4b3",
)


def strings_of(code: str) -> list[str]:
    """Return what the cell assigns at its top: literals and nothing else."""
    assigned = [node for node in ast.parse(code).body if isinstance(node, ast.Assign)]
    return [node.value.value for node in assigned if isinstance(node.value, ast.Constant)]  # pyright: ignore[reportReturnType] - what is compared with texts


def names_of(code: str) -> list[str]:
    """Return every name and attribute in the cell, in their order."""
    nodes = list(ast.walk(ast.parse(code)))
    return [
        node.id if isinstance(node, ast.Name) else node.attr
        for node in nodes
        if isinstance(node, ast.Name | ast.Attribute)
    ]


@pytest.mark.parametrize("argument", [text.encode(errors="replace").decode() for text in HOSTILE])
def test_arguments_become_literals_and_never_code(argument: str) -> None:
    for made, harmless in (
        (fixed_cells.search_cell(argument, 5), fixed_cells.search_cell("x", 5)),
        (fixed_cells.refuse_cell(argument), fixed_cells.refuse_cell("x")),
        (fixed_cells.price_cell(argument), fixed_cells.price_cell("x")),
        (fixed_cells.distance_cell(argument, argument), fixed_cells.distance_cell("x", "x")),
    ):
        assert argument in strings_of(made)
        assert names_of(made) == names_of(harmless)


def test_only_plain_texts_and_numbers_enter_a_cell() -> None:
    class Sly(str):
        def __repr__(self) -> str:
            return "exit()"

    with pytest.raises(TypeError, match="words is a Sly"):
        fixed_cells.search_cell(Sly("x"), 5)


@pytest.mark.parametrize(
    ("name", "arguments", "calls"),
    [
        ("validate_and_price", {}, ["validate_and_price"]),
        ("validate_and_price", {"label": "leg"}, ["validate_and_price"]),
        ("simulate", {}, ["simulate", "result"]),
        ("show", {"what": "both"}, ["show", "environment", "assembly"]),
        ("show", {"what": "simulation", "from_s": 1, "until_s": 2}, ["show", "_run"]),
        ("query", {"measure": "world"}, ["benchmark", "environment"]),
        ("query", {"measure": "parts"}, ["assembly"]),
        ("query", {"measure": "payload"}, ["payload_mm"]),
        ("distance", {"label": "a", "other": "b"}, ["distance_to"]),
        ("search_catalog", {"words": "a motor"}, ["search"]),
        ("submit_for_review", {}, ["submit_for_review"]),
        ("refuse_plan", {"proof": "no"}, ["refuse_plan"]),
    ],
)
async def test_each_call_runs_a_fixed_cell(name: str, arguments: dict[str, str | int], calls: Sequence[str]) -> None:
    harness = EngineerHarness(tool_reply(name, "", **arguments), executor="tool_call")
    (request,) = await harness.start()
    assert isinstance(request, CellRequested)
    assert set(calls) <= set(names_of(request.code))
    assert request.purpose.startswith(name)


def test_every_tool_is_in_the_system_prompt() -> None:
    assert len(TOOLS) == len({tool.model_config.get("title") for tool in TOOLS}) == 11


async def test_answer_and_pictures_follow_their_call() -> None:
    artifacts = FakeArtifacts()
    look = tool_reply("show", what="assembly")
    harness = EngineerHarness(
        look, tool_reply("simulate"), executor="tool_call", vision=Vision(artifacts, takes_images=True)
    )
    (request,) = await harness.start()
    png = await artifacts.put(b"png", "image/png")
    shown = (ShownImage(label="assembly", artifact=png, width_px=8, height_px=8),)
    await harness.complete_cell(request, images=shown)
    reply, answer, pictures = harness.chat.conversations[-1][-3:]
    assert isinstance(reply, AIMessage)
    assert isinstance(answer, ToolMessage)
    assert answer.tool_call_id == look.tool_calls[0]["id"]
    assert answer.text.startswith("# Observation of cell 1")
    assert isinstance(pictures, HumanMessage)
    assert "image" in str(pictures.content)


async def test_verdict_answers_the_submitting_call() -> None:
    hand_in = [tool_reply("submit_for_review") for _ in range(3)]
    harness = EngineerHarness(write_reply("script.py", "assembly = 1"), *hand_in, executor="tool_call")
    (write,) = await harness.start()
    assert isinstance(write, FileWriteRequested)
    (request,) = await harness.complete_write(write)
    for verdict in (invalidated, rejected):
        (submitted,) = await harness.complete_cell(request, ending=values.SUBMISSION)
        assert isinstance(submitted, DesignSubmitted)
        *_, request = await harness.consume(verdict(submitted))
    answers = [each for each in harness.chat.conversations[-1] if isinstance(each, ToolMessage)]
    assert [each.tool_call_id for each in answers[1:]] == [each.tool_calls[0]["id"] for each in hand_in[:2]]
    assert "lengthen it" in answers[1].text


async def test_refusal_by_tool_call_cites_cells() -> None:
    harness = EngineerHarness(
        tool_reply("query", measure="world"), tool_reply("refuse_plan", proof=PROOF), executor="tool_call"
    )
    (look,) = await harness.start()
    (refuse,) = await harness.complete_cell(look, "world: {}")
    (refused,) = await harness.complete_cell(refuse, ending=Refusal(proof=PROOF))
    assert isinstance(refused, PlanRefused)
