"""The expert engineer's protocol, with observations as the platform words them."""

import ast
import json
import re
from collections.abc import Sequence

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from offline_expert.engineer import MOST_DESIGNS, decide

from tests.offline_expert.problems import printed

BEGIN: list[BaseMessage] = [SystemMessage("# Role: engineer\n\nRules."), HumanMessage("# Assignment")]
WRITTEN = "`script.py` is written (4321 bytes)."


class Talk:
    """A conversation with the expert."""

    def __init__(self) -> None:
        self.messages = list(BEGIN)
        self.replies: list[AIMessage] = []

    def hear(self) -> AIMessage:
        """Return the expert's next reply; it must be the same when asked again."""
        reply = decide(self.messages)
        assert reply.content == decide(list(self.messages)).content
        self.replies.append(reply)
        self.messages.append(reply)
        return reply

    def tell(self, text: str) -> AIMessage:
        """Answer a cell and return the next reply."""
        self.messages.append(HumanMessage(text))
        return self.hear()

    def written(self) -> AIMessage:
        """Answer the call that writes script.py and return the next reply."""
        call_id = self.replies[-1].tool_calls[0]["id"]
        self.messages.append(ToolMessage(WRITTEN, tool_call_id=call_id))
        return self.hear()

    @property
    def scripts(self) -> list[str]:
        """Every script.py so far."""
        return [reply.tool_calls[0]["args"]["text"] for reply in self.replies if reply.tool_calls]


def code_of(reply: AIMessage) -> str:
    """Return the code of a cell; the reply must have the agreed sections in order, and code that parses."""
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


def begun(family: str = "detour") -> Talk:
    """Return a talk in which script.py is about to be written."""
    talk = Talk()
    assert "environment.solids()" in code_of(talk.hear())
    call = talk.tell(printed(family, 0)).tool_calls[0]
    assert (call["name"], call["args"]["path"]) == ("write_file", "script.py")
    return talk


def test_it_reads_routes_writes_checks_and_submits() -> None:
    talk = begun()
    assert "simulate(assembly)" in code_of(talk.written())
    assert "submit_for_review(assembly)" in code_of(talk.tell(result()))


def test_the_script_binds_an_assembly_of_distinct_labels() -> None:
    (script,) = begun().scripts
    tree = ast.parse(script)
    names = [target.id for node in tree.body if isinstance(node, ast.Assign) for target in _names(node.targets)]
    assert names[-1] == "assembly"
    labels = re.findall(r'^box_part\("([^"]+)"', script, re.MULTILINE)
    assert len(set(labels)) == len(labels) > 20


def test_a_failed_preview_leads_to_another_design() -> None:
    talk = begun()
    talk.written()
    talk.tell(FAILED)
    talk.written()
    assert "submit_for_review" in code_of(talk.tell(result()))
    assert len(set(talk.scripts)) == 2


def test_findings_of_the_judge_and_the_critic_lead_to_other_designs() -> None:
    talk = begun()
    talk.written()
    talk.tell(result())
    talk.tell("# The design was not accepted\n\n- **over_mass**: the machine weighs 900.0 g")
    talk.written()
    talk.tell(result())
    talk.tell("# The critic rejected the design\n\n- The replicas say flaky")
    first, thinner, higher = talk.scripts
    assert _thinnest(thinner) < _thinnest(first)
    assert higher not in (first, thinner)


def test_what_gave_way_gets_sturdier_legs() -> None:
    talk = begun()
    talk.written()
    talk.tell(result(verdict="failed", ending="overloaded", culprit="chute-1-leg-to-ground-9", final_mm=[0, 0, 90.0]))
    talk.written()
    talk.tell(result())
    talk.tell("# The critic rejected the design\n\n- The nominal run ended as overloaded: verdict failed.")
    legs = [float(re.findall(r"width_mm=([0-9.]+)", script)[0]) for script in talk.scripts]
    assert legs == pytest.approx([14.0, 17.5, 21.875])


def test_a_leg_ends_in_the_slope_of_the_floor_it_carries() -> None:
    (script,) = begun("gravity-chute").scripts
    floor = re.search(r'^box_part\("chute-1-floor".*pitch_deg=([0-9.]+)', script, re.MULTILINE)
    leg = re.search(r'^leg_part\("chute-1-leg".*slope_deg=([0-9.]+)', script, re.MULTILINE)
    assert floor is not None
    assert leg is not None
    assert float(floor[1]) == float(leg[1]) > 4
    assert re.search(r'^leg_part\("pocket-leg"', script, re.MULTILINE)


def test_a_mend_that_changes_nothing_is_not_tried_again() -> None:
    talk = begun("gravity-chute")
    for _ in range(2):
        talk.written()
        talk.tell("# Observation\n\n- **floating** `pocket-leg`: it is held by nothing")
    assert len(set(talk.scripts)) == 3


def test_an_error_in_a_check_that_is_not_the_designs_fault_is_tried_again() -> None:
    talk = begun()
    talk.written()
    talk.tell("# Observation\n\n**The kernel died; it was restarted**")
    first, second = talk.scripts
    assert first == second


def test_it_gives_up_after_a_few_designs() -> None:
    talk = begun()
    reply = talk.replies[-1]
    for _ in range(MOST_DESIGNS):
        talk.written()
        reply = talk.tell(FAILED)
    assert "refuse_plan(" in code_of(reply)
    assert f"{MOST_DESIGNS} designs" in reply.text
    assert len(set(talk.scripts)) == MOST_DESIGNS


def test_facts_that_cannot_be_read_are_asked_for_once_more() -> None:
    talk = Talk()
    talk.hear()
    assert "environment.solids()" in code_of(talk.tell('# Observation\n\n<<<FACTS {"build": FACTS>>>'))
    assert "refuse_plan(" in code_of(talk.tell("# Observation\n\nnothing"))


def test_an_echo_of_its_own_code_is_no_answer() -> None:
    talk = Talk()
    question = talk.hear()
    assert "environment.solids()" in code_of(talk.tell(f"### Error\n{code_of(question)}"))


def test_a_cube_is_refused() -> None:
    talk = Talk()
    talk.hear()
    assert "refuse_plan(" in code_of(talk.tell(printed("detour", 0).replace('"ball"', '"cube"')))


def test_remarks_that_come_with_an_answer_change_nothing() -> None:
    plain, talk = begun("gravity-chute"), Talk()
    talk.hear()
    talk.tell("A remark before.\n" + printed("gravity-chute", 0) + "\n- `facts` (new, dict): …")
    assert talk.scripts == plain.scripts


def _names(targets: Sequence[ast.expr]) -> list[ast.Name]:
    return [target for target in targets if isinstance(target, ast.Name)]


def _thinnest(script: str) -> float:
    sizes = re.findall(r"size_mm=\(([^)]+)\)", script)
    return min(float(edge) for size in sizes for edge in size.split(","))
