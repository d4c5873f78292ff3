"""The expert engineer with the `code` executor: its steps, and designs after failures."""

import ast
import json
import re
from collections.abc import Sequence

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from offline_expert.engineer.policy import MAX_DESIGNS, decide

from tests.support.routing_problems import facts_observation

BEGIN: list[BaseMessage] = [SystemMessage("# Role: engineer\n\nRules."), HumanMessage("# Assignment")]
WRITTEN = "`script.py` is written (4321 bytes)."


class Conversation:
    """A conversation with the expert."""

    def __init__(self) -> None:
        self.messages = list(BEGIN)
        self.replies: list[AIMessage] = []

    def next_reply(self) -> AIMessage:
        """Return the expert's next reply, which must be deterministic."""
        reply = decide(self.messages)
        assert reply.content == decide(list(self.messages)).content
        self.replies.append(reply)
        self.messages.append(reply)
        return reply

    def answer(self, text: str) -> AIMessage:
        """Add the observation of a cell and return the next reply."""
        self.messages.append(HumanMessage(text))
        return self.next_reply()

    def confirm_written(self) -> AIMessage:
        """Add the result of the call that writes script.py and return the next reply."""
        call_id = self.replies[-1].tool_calls[0]["id"]
        self.messages.append(ToolMessage(WRITTEN, tool_call_id=call_id))
        return self.next_reply()

    @property
    def scripts(self) -> list[str]:
        """Every script.py so far."""
        return [reply.tool_calls[0]["args"]["text"] for reply in self.replies if reply.tool_calls]


def code_of(reply: AIMessage) -> str:
    """Return the code of a cell; the reply must have all sections in order, and code that parses."""
    titles = re.findall(r"^## (.+)$", reply.text, re.MULTILINE)
    assert titles == ["Purpose", "Reasoning", "Next goal", "Code"]
    code = reply.text.partition("```python\n")[2].rpartition("\n```")[0]
    ast.parse(code)
    return code


def result(**seen: object) -> str:
    """Return the observation of a check."""
    usual = {"verdict": "solved", "ending": "reached_goal", "time_s": 2.0, "max_speed_m_s": 1.4, "success_rate": 1.0}
    return f"# Observation\n\n**The cell ran** (1.0 s).\n<<<RESULT {json.dumps({**usual, **seen})} RESULT>>>"


FAILED = result(verdict="failed", ending="missed_goal", closest_goal_mm=50.0, final_mm=[1.0, 2.0, 20.0])


def conversation_with_script(family: str = "detour") -> Conversation:
    """Return a conversation in which script.py is about to be written."""
    conversation = Conversation()
    assert "environment.solids()" in code_of(conversation.next_reply())
    call = conversation.answer(facts_observation(family, 0)).tool_calls[0]
    assert (call["name"], call["args"]["path"]) == ("write_file", "script.py")
    return conversation


def test_expert_reads_writes_checks_and_submits() -> None:
    conversation = conversation_with_script()
    assert "simulate(assembly)" in code_of(conversation.confirm_written())
    assert "submit_for_review(assembly)" in code_of(conversation.answer(result()))


def test_script_defines_assembly_of_distinct_labels() -> None:
    (script,) = conversation_with_script().scripts
    tree = ast.parse(script)
    names = [target.id for node in tree.body if isinstance(node, ast.Assign) for target in _names(node.targets)]
    assert names[-1] == "assembly"
    labels = re.findall(r'^box_part\("([^"]+)"', script, re.MULTILINE)
    assert len(set(labels)) == len(labels) > 20


def test_failed_preview_leads_to_other_design() -> None:
    conversation = conversation_with_script()
    conversation.confirm_written()
    conversation.answer(FAILED)
    conversation.confirm_written()
    assert "submit_for_review" in code_of(conversation.answer(result()))
    assert len(set(conversation.scripts)) == 2


def test_findings_and_rejections_lead_to_other_designs() -> None:
    conversation = conversation_with_script()
    conversation.confirm_written()
    conversation.answer(result())
    conversation.answer("# The design was not accepted\n\n- **over_mass**: the machine weighs 900.0 g")
    conversation.confirm_written()
    conversation.answer(result())
    conversation.answer("# The critic rejected the design\n\n- The replicas say flaky")
    first, thinner, higher = conversation.scripts
    assert _thinnest(thinner) < _thinnest(first)
    assert higher not in (first, thinner)


def test_overload_leads_to_thicker_legs() -> None:
    conversation = conversation_with_script()
    conversation.confirm_written()
    conversation.answer(
        result(verdict="failed", ending="overloaded", culprit="chute-1-leg-to-ground-9", final_mm=[0, 0, 90.0])
    )
    conversation.confirm_written()
    conversation.answer(result())
    conversation.answer("# The critic rejected the design\n\n- The nominal run ended as overloaded: verdict failed.")
    legs = [float(re.findall(r"width_mm=([0-9.]+)", script)[0]) for script in conversation.scripts]
    assert legs == pytest.approx([14.0, 17.5, 21.875])


def test_leg_top_has_slope_of_its_floor() -> None:
    (script,) = conversation_with_script("gravity-chute").scripts
    floor = re.search(r'^box_part\("chute-1-floor".*pitch_deg=([0-9.]+)', script, re.MULTILINE)
    leg = re.search(r'^leg_part\("chute-1-leg".*slope_deg=([0-9.]+)', script, re.MULTILINE)
    assert floor is not None
    assert leg is not None
    assert float(floor[1]) == float(leg[1]) > 4
    assert re.search(r'^leg_part\("pocket-leg"', script, re.MULTILINE)


def test_unchanged_design_is_not_tried_again() -> None:
    conversation = conversation_with_script("gravity-chute")
    for _ in range(2):
        conversation.confirm_written()
        conversation.answer("# Observation\n\n- **floating** `pocket-leg`: it is held by nothing")
    assert len(set(conversation.scripts)) == 3


def test_design_is_retried_after_kernel_failure() -> None:
    conversation = conversation_with_script()
    conversation.confirm_written()
    conversation.answer("# Observation\n\n**The kernel died; it was restarted**")
    first, second = conversation.scripts
    assert first == second


def test_expert_refuses_after_max_designs() -> None:
    conversation = conversation_with_script()
    reply = conversation.replies[-1]
    for _ in range(MAX_DESIGNS):
        conversation.confirm_written()
        reply = conversation.answer(FAILED)
    assert f"None of {MAX_DESIGNS} designs" in _failing_proof(code_of(reply))
    reply = conversation.answer("# Observation\n\nAssertionError: None of them")
    assert "refuse_plan(" in code_of(reply)
    assert "[cell 7], [cell 3], [cell 4], [cell 5], [cell 6]" in reply.text, "the proof, then what failed"
    assert "missed_goal at [1.0, 2.0, 20.0] mm, 50.0 mm from the goal" in reply.text
    assert len(set(conversation.scripts)) == MAX_DESIGNS


def test_refusal_for_price_begins_with_the_cheapest_price() -> None:
    conversation = conversation_with_script("gravity-chute")
    reply = conversation.replies[-1]
    for price_usd in (172.0, 150.5, 160.0, 141.25, 144.0):
        conversation.confirm_written()
        finding = f"over_price, one machine costs {price_usd:.2f} USD at a quantity of 100, the limit is 57.00 USD; the"
        reply = conversation.answer(
            f"# Observation\n\n- **over_price** `machine`: x\nAssertionError: not makeable as it is: {finding}"
        )
    assert _failing_proof(code_of(reply)).startswith("141.25 USD at most 57.00: the cheapest of 5 designs.")
    reply = conversation.answer("# Observation\n\nAssertionError: x")
    assert "refuse_plan('141.25 USD at most 57.00:" in code_of(reply)


@pytest.mark.parametrize(("price_usd", "is_slight"), [(503.0, True), (506.0, False)])
def test_design_slightly_over_its_price_keeps_its_route(price_usd: float, is_slight: bool) -> None:
    conversation = conversation_with_script("gravity-chute")
    conversation.confirm_written()
    finding = f"over_price, one machine costs {price_usd:.2f} USD at a quantity of 100, the limit is 480.00 USD; the"
    conversation.answer(f"- **over_price** `machine`: x\nAssertionError: not makeable as it is: {finding}")
    first, second = conversation.scripts
    assert (0.9 * _thinnest(first) < _thinnest(second) < _thinnest(first)) is is_slight
    assert _thinnest(second) < _thinnest(first)


def test_part_that_is_too_large_is_not_an_interruption() -> None:
    conversation = conversation_with_script("gravity-chute")
    conversation.confirm_written()
    conversation.answer("# Observation\n\n- **print_too_large** `chute-1-floor`: 400 mm, the printer takes 320 mm")
    conversation.confirm_written()
    conversation.answer("# Observation\n\n- **print_too_large** `chute-1-floor`: 330 mm, the printer takes 320 mm")
    straight, cornered, in_pieces = conversation.scripts
    assert "chute-2-floor" not in straight
    assert "chute-2-floor" in cornered
    assert "chute-2-floor" not in in_pieces


def test_connection_between_chutes_leads_to_more_legs() -> None:
    conversation = conversation_with_script()
    conversation.confirm_written()
    culprit = "chute-1-wall-left-to-chute-2-back-8"
    conversation.answer(result(verdict="failed", ending="overloaded", culprit=culprit, final_mm=[0, 0, 90.0]))
    first, second = conversation.scripts
    assert second.count("leg_part(") > first.count("leg_part(")
    assert _thinnest(second) == _thinnest(first)


def test_other_connection_than_a_leg_leads_to_thicker_walls() -> None:
    conversation = conversation_with_script()
    conversation.confirm_written()
    conversation.answer(
        result(verdict="failed", ending="overloaded", culprit="pocket-end-to-pocket-floor-3", final_mm=[0, 0, 90.0])
    )
    first, second = conversation.scripts
    assert _thinnest(second) > _thinnest(first)
    assert re.findall(r"width_mm=([0-9.]+)", first)[0] == re.findall(r"width_mm=([0-9.]+)", second)[0]


def test_unreadable_facts_are_requested_once_more() -> None:
    conversation = Conversation()
    conversation.next_reply()
    assert "environment.solids()" in code_of(conversation.answer('# Observation\n\n<<<FACTS {"build": FACTS>>>'))
    assert "2 cells did not print them" in _failing_proof(code_of(conversation.answer("# Observation\n\nnothing")))
    assert "[cell 3]" in conversation.answer("# Observation\n\nAssertionError: x").text


def test_echo_of_own_code_is_not_an_answer() -> None:
    conversation = Conversation()
    question = conversation.next_reply()
    assert "environment.solids()" in code_of(conversation.answer(f"### Error\n{code_of(question)}"))


def test_cube_that_must_go_round_a_wall_is_refused_with_figures() -> None:
    conversation = Conversation()
    conversation.next_reply()
    reply = conversation.answer(facts_observation("detour", 0).replace('"ball"', '"cube"'))
    assert re.search(r"starts \d+ mm above the goal's bottom, \d+ mm away", _failing_proof(code_of(reply)))


def test_cube_slides_on_a_slope_beyond_its_angle_of_friction() -> None:
    conversation = Conversation()
    conversation.next_reply()
    conversation.answer(facts_observation("gravity-chute", 5).replace('"ball"', '"cube"'))
    (script,) = conversation.scripts
    floor = re.search(r'^box_part\("chute-1-floor".*pitch_deg=([0-9.]+)', script, re.MULTILINE)
    assert floor is not None
    assert float(floor[1]) > 19.3 + 4


def test_remarks_in_observation_change_nothing() -> None:
    plain, conversation = conversation_with_script("gravity-chute"), Conversation()
    conversation.next_reply()
    conversation.answer("A remark before.\n" + facts_observation("gravity-chute", 0) + "\n- `facts` (new, dict): …")
    assert conversation.scripts == plain.scripts


def _names(targets: Sequence[ast.expr]) -> list[ast.Name]:
    return [target for target in targets if isinstance(target, ast.Name)]


def _failing_proof(code: str) -> str:
    """Return the reason with which a proof's cell fails."""
    last = ast.parse(code).body[-1]
    assert isinstance(last, ast.Raise)
    assert isinstance(last.exc, ast.Call)
    return ast.literal_eval(last.exc.args[0])


def _thinnest(script: str) -> float:
    sizes = re.findall(r"size_mm=\(([^)]+)\)", script)
    return min(float(edge) for size in sizes for edge in size.split(","))
