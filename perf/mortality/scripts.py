"""What models say in the scenarios: the offline expert, made to stumble where an event needs it.

Each script is a function of the conversation, as a model is: asked again, it says the same.
"""

from collections.abc import Callable, Sequence

from agent.model.providers import offline_chat
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from offline_expert.engineer.replies import CellReplies

Script = Callable[[Sequence[BaseMessage], str], AIMessage]
"""From a conversation, and the label of the run, to the next reply."""

_expert = offline_chat()
_REPLIES = CellReplies()
_MUMBLED = AIMessage("Well.")
_NAMELESS_BOX = """\
from build123d import Box, Compound, Pos

part = Pos(0, 0, 300) * Box(10, 10, 10)
part.label = "box"
assembly = Compound(label="machine", children=[part])
"""
_SOMETHING_ELSE = """\
from build123d import Box, Compound, Pos
from utils import ManufacturingMethod, submit_for_review

other = Pos(200, 200, 5.01) * Box(10, 10, 10)
other.label = "other"
other.metadata = {"manufacturing_method": ManufacturingMethod.PRINTING_3D, "material_id": "pla"}
submit_for_review(Compound(label="machine", children=[other]))
"""
_A_PICTURE_AND_TOO_MUCH_OF_ONE = """\
from build123d import Box, Pos

show(Box(10, 10, 10))
show([Pos(20 * place, 0, 0) * Box(1, 1, 1) for place in range(301)])
"""
_SHOPPING = """\
from utils import catalog

print(catalog.search("a socket head cap screw M4, 20 mm"))
try:
    catalog.search("something endless")
except RuntimeError as error:
    print(error)
"""
_REFUSING = """\
from utils import refuse_plan

refuse_plan({proof!r})
"""
_PROOF = "Nothing that was built so far held, and no other design would hold either, as these cells show: {cited}."
_ASKED = ("M4, 20 mm", "something endless")
_ONE_MORE_QUERY = AIMessage("## Query\n\n```sql\nSELECT part_id FROM part_search ORDER BY part_id LIMIT 1\n```")


def faultless(messages: Sequence[BaseMessage], label: str) -> AIMessage:
    """Solve it as the expert does, but hand in without a preview: nothing fails, so nothing is learned."""
    if _role(messages) == "engineer" and _turn(messages) == 2:
        return _REPLIES.submit_design({})
    return _expert.reply_to(messages)


def stumbling(messages: Sequence[BaseMessage], label: str) -> AIMessage:
    """Solve it after every mistake there is: each role is unreadable once, and plan and design are rejected once."""
    if not any(_complains(message) for message in messages):
        return _MUMBLED
    match _role(messages):
        case "planner":
            return _plan(messages) if _turn(messages) else _thin_plan(messages)
        case "critic":
            return _reject_once(messages)
        case "engineer":
            return _stumble(messages, label)
        case _:
            return _expert.reply_to(messages)


def shopping(messages: Sequence[BaseMessage], label: str) -> AIMessage:
    """Look something up in the catalog, which is unreadable once, and then what it never stops looking for."""
    match _role(messages):
        case "planner" if not _turn(messages):
            return _call("search_catalog", {"words": f"a socket head cap screw {_ASKED[0]}"}, "look-up")
        case "catalog":
            return _look_up(messages)
        case "engineer" if not _turn(messages):
            return _cell("Shop", _SHOPPING)
        case "engineer":
            return faultless(_without_first(messages, 1), label)
        case _:
            return _expert.reply_to(messages)


def _look_up(messages: Sequence[BaseMessage]) -> AIMessage:
    if not any(_complains(message) for message in messages):
        return _MUMBLED
    asked = next(message.text for message in reversed(messages) if any(words in message.text for words in _ASKED))
    return _ONE_MORE_QUERY if _ASKED[1] in asked else _plan(messages)


def baffled(messages: Sequence[BaseMessage], label: str) -> AIMessage:
    """Design well, and give up when physics refuses the world."""
    turn = _turn(messages)
    if _role(messages) != "engineer" or turn < 2:
        return _expert.reply_to(messages)
    preview = _cell("Preview", "from script import assembly\nfrom utils import simulate\n\nsimulate(assembly)")
    return (
        (preview, _REPLIES.submit_design({}))[turn - 2]
        if turn < 4
        else _REPLIES.refuse("No simulator takes this world.")
    )


def refusing(messages: Sequence[BaseMessage], label: str) -> AIMessage:
    """Refuse the plan on one failure, which proves nothing, and on two, which do; solve it by the plan that follows."""
    if _role(messages) != "engineer":
        return _expert.reply_to(messages)
    work = (
        _cell("Try", f"raise RuntimeError({label!r})"),
        _refusal("[cell 1]"),
        _cell("Try again", f"raise ValueError({label!r})"),
        _refusal("[cell 1], [cell 3]"),
    )
    turn = _turn(messages)
    return work[turn] if turn < len(work) else faultless(_without_first(messages, len(work)), label)


def dawdling(messages: Sequence[BaseMessage], label: str) -> AIMessage:
    """Let the first cell take for ever."""
    if _role(messages) == "engineer":
        return _cell("Wait", "import time\n\ntime.sleep(600)")
    return _expert.reply_to(messages)


def speechless(messages: Sequence[BaseMessage], label: str) -> AIMessage:
    """Plan well, and have a critic whom nobody understands."""
    return _MUMBLED if _role(messages) == "critic" else _expert.reply_to(messages)


def _stumble(messages: Sequence[BaseMessage], label: str) -> AIMessage:
    """Write where nothing may be, look, raise, hand in what script.py does not build; then work as the expert does."""
    slips = (
        _file("plan.md", "No plan.", "slip-1"),
        _call("view_file", {"path": "plan.md"}, "slip-2"),
        _cell("Look", _A_PICTURE_AND_TOO_MUCH_OF_ONE),
        _cell("Try", f"raise RuntimeError({label!r})"),
        _file("script.py", _NAMELESS_BOX, "slip-3"),
        _call("edit_file", {"path": "script.py", "old_text": "300", "new_text": "310"}, "slip-4"),
        _cell("Submit", _SOMETHING_ELSE),
    )
    turn = _turn(messages)
    if turn < len(slips):
        return slips[turn]
    if "The critic rejected" in messages[-1].text:
        return _REPLIES.submit_design({})
    return _expert.reply_to(_without_first(messages, len(slips)))


def _reject_once(messages: Sequence[BaseMessage]) -> AIMessage:
    designs = sum(message.text.startswith("# Design to review") for message in messages)
    if designs == 1:
        return AIMessage("VERDICT: REJECT\n\n## Reasons\n\n- Show it to me again.\n\n## Evidence\n\n- none")
    return _expert.reply_to(messages)


def _plan(messages: Sequence[BaseMessage]) -> AIMessage:
    return _expert.reply_to([message for message in messages if not _complains(message)])


def _thin_plan(messages: Sequence[BaseMessage]) -> AIMessage:
    """Return a plan whose list of things to do the critic rejects."""
    plan, heading, _ = _plan(messages).text.partition("## TODO")
    return AIMessage(f"{plan}{heading}\n\n- [ ] T1: wait\n")


def _role(messages: Sequence[BaseMessage]) -> str:
    return messages[0].text.splitlines()[0].removeprefix("# Role: ").strip()


def _turn(messages: Sequence[BaseMessage]) -> int:
    """Return how many replies were read so far; unreadable ones are not shown again."""
    return sum(isinstance(message, AIMessage) for message in messages)


def _without_first(messages: Sequence[BaseMessage], steps: int) -> list[BaseMessage]:
    """Return the conversation as if the first replies and their answers had not been."""
    first = next(place for place, message in enumerate(messages) if isinstance(message, AIMessage))
    return [*messages[:first], *messages[first + 2 * steps :]]


def _complains(message: BaseMessage) -> bool:
    return isinstance(message, HumanMessage) and message.text.startswith("Your last reply could not be used")


def _cell(purpose: str, code: str) -> AIMessage:
    return AIMessage(
        f"## Purpose\n\n{purpose}\n\n## Reasoning\n\nSo it is written.\n\n## Next goal\n\nThe next.\n\n"
        f"## Code\n\n```python\n{code}\n```"
    )


def _refusal(cited: str) -> AIMessage:
    return _cell("Refuse", _REFUSING.format(proof=_PROOF.format(cited=cited)))


def _file(path: str, text: str, call_id: str) -> AIMessage:
    return _call("write_file", {"path": path, "text": text}, call_id)


def _call(tool: str, arguments: dict[str, object], call_id: str) -> AIMessage:
    return AIMessage("As written.", tool_calls=[{"name": tool, "args": arguments, "id": call_id}])
