"""Summaries have a form, and what must survive does, whatever the model writes."""

import pytest
from agent.context.stand_ins import StandIns
from agent.context.summary_form import MAX_SUMMARY_CHARS, checked_summary, kept_of, summary_request
from agent.loop.summarizer import _summary_request  # pyright: ignore[reportPrivateUsage] - the text that is sent
from contracts.models.conversation import Message, ToolCall

TODO = "- [ ] T1: Measure the wall\n- [ ] T2: Build legs\n- [x] T3: Price them\n- [ ] T4: Submit"
JOURNAL = "- steps 1 to 2, by entry 1 of the journal: legs of 20 mm failed → 7 of 8 replicas, clearance 3.5 mm"
LINES = "line\n" * 300
HIDDEN = "SECRET-MIDDLE 41.7 mm"
CONVERSATION = (
    Message(author="system", text="# Role: engineer"),
    Message(author="user", text=f"# Plan\n\n{TODO}"),
    Message(
        author="assistant",
        text="`wall` is 30 mm high; `chute-2` needs 12.5 degrees.",
        tool_calls=(ToolCall(call_id="1", name="write_file", arguments_json='{"path": "chutes.py", "text": "x"}'),),
    ),
    Message(author="user", text=f"{LINES}{HIDDEN}\n{LINES}", gist="short"),
    Message(author="assistant", text='`wall` of 30 mm holds.\ntodo.check("T1")'),
    Message(author="user", text="done", gist="done"),
)
KEPT = kept_of(CONVERSATION, [JOURNAL])
GOOD = "## State\n\nlegs\n\n## Facts\n\n- a\n\n## Failed\n\n- b\n\n## Open\n\n- c"


def test_open_items_names_and_numbers_are_kept() -> None:
    assert {"T2: Build legs", "T4: Submit"} <= {*KEPT}
    assert not [each for each in KEPT if each.startswith(("T1", "T3"))]
    assert {"chutes.py", "wall", "chute-2"} <= {*KEPT}
    assert {"20 mm", "7 of 8", "3.5 mm", "30 mm"} <= {*KEPT}


@pytest.mark.parametrize(
    "reply",
    [GOOD, GOOD.replace("- a", "a fact\n" * 2000), "We did.", "## State\n\nlegs\n\n## Facts\n\n30 mm", "ok " * 3000],
)
def test_all_that_must_survive_is_in_the_summary_whatever_the_reply(reply: str) -> None:
    summary = checked_summary(summary_request(KEPT, "…"), reply)
    assert [each for each in KEPT if each not in summary] == []
    assert len(summary) <= MAX_SUMMARY_CHARS
    assert ("## State" in summary) == ("## Open" in reply), "text without the form is not a summary"


def test_summary_that_has_everything_is_taken_as_it_is() -> None:
    whole = GOOD.replace("- a", "\n".join(f"- `{each}`" for each in KEPT))
    assert checked_summary(summary_request(KEPT, "…"), whole) == whole


def test_number_within_another_number_has_not_survived() -> None:
    request = summary_request(("3.5 mm",), "…")
    assert "- 3.5 mm" in checked_summary(request, GOOD.replace("- a", "- 13.5 mm and 3.5 mmHg"))


def test_request_shows_the_steps_as_they_were() -> None:
    text = _summary_request(CONVERSATION, StandIns(), 2, 8_000).text
    assert HIDDEN in text, "the short form of an old observation is not what is summed up"
    assert "`chute-2` needs 12.5 degrees" in text
    tight = _summary_request(CONVERSATION, StandIns(), 2, 800).text
    assert "`chute-2` needs 12.5 degrees" in tight, "only the long texts are cut"
    assert len(tight) < len(text)
