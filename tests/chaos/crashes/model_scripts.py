"""Models of the scenarios: the offline expert, with mistakes where an event needs them.

Each script is a function of the conversation, so that a repeated call gets the same reply.
"""

from collections.abc import Callable, Sequence

from agent.model.providers import offline_chat
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from offline_expert.engineer.replies import CellReplies
from offline_expert.engineer.todo_items import TodoItems

from tests.support.replies.mistaken_engineer import without_first

Script = Callable[[Sequence[BaseMessage], str], AIMessage]
"""From a conversation, and the label of the run, to the next reply."""

_expert = offline_chat()
_REPLIES = CellReplies(TodoItems({}))
_UNREADABLE = AIMessage("Well.")
_UNFINISHED_BOX = """\
from build123d import Box, Compound, Pos

part = Pos(0, 0, 300) * Box(10, 10, 10)
part.label = "box"
assembly = Compound(label="machine", children=[part])
"""
_SETTLE = """\
for item in todo.items:
    if item.state == "open":
        todo.check(item.id)
"""
_SETTLE_AND_SUBMIT = f"""\
from script import assembly
from utils import submit_for_review

{_SETTLE}submit_for_review(assembly)
"""
_OTHER_DESIGN = f"""\
from build123d import Box, Compound, Pos
from utils import ManufacturingMethod, submit_for_review

{_SETTLE}other = Pos(200, 200, 5.01) * Box(10, 10, 10)
other.label = "other"
other.metadata = {{"manufacturing_method": ManufacturingMethod.PRINTING_3D, "material_id": "pla"}}
submit_for_review(Compound(label="machine", children=[other]))
"""
_PICTURE_AND_TOO_LARGE_ONE = """\
from build123d import Box, Pos

show(Box(10, 10, 10))
show([Pos(20 * index, 0, 0) * Box(1, 1, 1) for index in range(301)])
"""
_SEARCHES = """\
from utils import catalog

print(catalog.search("a socket head cap screw M4, 20 mm"))
try:
    catalog.search("something endless")
except RuntimeError as error:
    print(error)
"""
_REFUSAL = """\
from utils import refuse_plan

refuse_plan({proof!r})
"""
_PROOF = "No design that was built by this plan held, and no other one would hold either, as these cells show: {cited}."
_QUERIES = ("M4, 20 mm", "something endless")
_ENDLESS_QUERY = AIMessage("## Query\n\n```sql\nSELECT part_id FROM part_search ORDER BY part_id LIMIT 1\n```")


def flawless(messages: Sequence[BaseMessage], label: str) -> AIMessage:
    """Solve it as the expert does, without a preview: nothing fails, so nothing is learned."""
    if _role(messages) == "engineer" and _turn(messages) == 2:
        return _cell("Submit", _SETTLE_AND_SUBMIT)
    return _expert.reply_to(messages)


def mistakes(messages: Sequence[BaseMessage], label: str) -> AIMessage:
    """Solve it after many mistakes: each role is unreadable once, and plan and design are rejected once."""
    if not any(_is_complaint(message) for message in messages):
        return _UNREADABLE
    match _role(messages):
        case "planner":
            return _plan(messages) if _turn(messages) else _thin_plan(messages)
        case "critic":
            return _reject_once(messages)
        case "engineer":
            return _make_mistakes(messages, label)
        case _:
            return _expert.reply_to(messages)


def catalog(messages: Sequence[BaseMessage], label: str) -> AIMessage:
    """Search the catalog, which is unreadable once, and then search for something that it queries without end."""
    match _role(messages):
        case "planner" if not _turn(messages):
            return _call("search_catalog", {"words": f"a socket head cap screw {_QUERIES[0]}"}, "look-up")
        case "catalog":
            return _answer_search(messages)
        case "engineer" if not _turn(messages):
            return _cell("Shop", _SEARCHES)
        case "engineer":
            return flawless(without_first(messages, 1), label)
        case _:
            return _expert.reply_to(messages)


def _answer_search(messages: Sequence[BaseMessage]) -> AIMessage:
    if not any(_is_complaint(message) for message in messages):
        return _UNREADABLE
    asked = next(message.text for message in reversed(messages) if any(text in message.text for text in _QUERIES))
    return _ENDLESS_QUERY if _QUERIES[1] in asked else _plan(messages)


def gives_up(messages: Sequence[BaseMessage], label: str) -> AIMessage:
    """Refuse the plan without a proof, again and again."""
    if _role(messages) != "engineer":
        return _expert.reply_to(messages)
    return _REPLIES.refuse("This world cannot be solved.", cells=())


def refusals(messages: Sequence[BaseMessage], label: str) -> AIMessage:
    """Refuse the plan with one failure (not a proof), then with two (a proof); then solve it by the next plan."""
    if _role(messages) != "engineer":
        return _expert.reply_to(messages)
    work = (
        _cell("Try", f"raise RuntimeError({label!r})"),
        _refusal("[cell 1]"),
        _cell("Try again", f"raise ValueError({label!r})"),
        _refusal("[cell 1], [cell 3]"),
    )
    turn = _turn(messages)
    return work[turn] if turn < len(work) else flawless(without_first(messages, len(work)), label)


def endless_cell(messages: Sequence[BaseMessage], label: str) -> AIMessage:
    """Run a first cell that does not end."""
    if _role(messages) == "engineer":
        return _cell("Wait", "import time\n\ntime.sleep(600)")
    return _expert.reply_to(messages)


def unreadable_critic(messages: Sequence[BaseMessage], label: str) -> AIMessage:
    """Plan well, with a critic whose replies are unreadable."""
    return _UNREADABLE if _role(messages) == "critic" else _expert.reply_to(messages)


def _make_mistakes(messages: Sequence[BaseMessage], label: str) -> AIMessage:
    """Write a read-only file, look, raise, submit another design than script.py; then work as the expert does."""
    mistakes = (
        _file("plan.md", "No plan.", "mistake-1"),
        _call("view_file", {"path": "plan.md"}, "mistake-2"),
        _cell("Look", _PICTURE_AND_TOO_LARGE_ONE),
        _cell("Try", f"raise RuntimeError({label!r})"),
        _file("script.py", _UNFINISHED_BOX, "mistake-3"),
        _call("edit_file", {"path": "script.py", "old_text": "300", "new_text": "310"}, "mistake-4"),
        _cell("Submit", _OTHER_DESIGN),
    )
    turn = _turn(messages)
    if turn < len(mistakes):
        return mistakes[turn]
    if "The critic rejected" in messages[-1].text:
        return _cell("Submit", _SETTLE_AND_SUBMIT)
    return _expert.reply_to(without_first(messages, len(mistakes)))


def _reject_once(messages: Sequence[BaseMessage]) -> AIMessage:
    designs = sum(message.text.startswith("# Design to review") for message in messages)
    if designs == 1:
        return AIMessage("VERDICT: REJECT\n\n## Reasons\n\n- Show it to me again.\n\n## Evidence\n\n- none")
    return _expert.reply_to(messages)


def _plan(messages: Sequence[BaseMessage]) -> AIMessage:
    return _expert.reply_to([message for message in messages if not _is_complaint(message)])


def _thin_plan(messages: Sequence[BaseMessage]) -> AIMessage:
    """Return a plan whose TODO list the critic rejects."""
    plan, heading, _ = _plan(messages).text.partition("## TODO")
    return AIMessage(f"{plan}{heading}\n\n- [ ] T1: wait\n")


def _role(messages: Sequence[BaseMessage]) -> str:
    return messages[0].text.splitlines()[0].removeprefix("# Role: ").strip()


def _turn(messages: Sequence[BaseMessage]) -> int:
    """Return the number of replies so far, without unreadable ones, which are not in the prompt."""
    return sum(isinstance(message, AIMessage) for message in messages)


def _is_complaint(message: BaseMessage) -> bool:
    return isinstance(message, HumanMessage) and message.text.startswith("Your last reply could not be used")


def _cell(purpose: str, code: str) -> AIMessage:
    return AIMessage(
        f"## Purpose\n\n{purpose}\n\n## Reasoning\n\nAs scripted.\n\n## Next goal\n\nThe next.\n\n"
        f"## Code\n\n```python\n{code}\n```"
    )


def _refusal(cited: str) -> AIMessage:
    return _cell("Refuse", _REFUSAL.format(proof=_PROOF.format(cited=cited)))


def _file(path: str, text: str, call_id: str) -> AIMessage:
    return _call("write_file", {"path": path, "text": text}, call_id)


def _call(tool: str, arguments: dict[str, object], call_id: str) -> AIMessage:
    return AIMessage("As scripted.", tool_calls=[{"name": tool, "args": arguments, "id": call_id}])
