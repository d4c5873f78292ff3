"""The long texts of events, which pages and reports show alike."""

from contracts.event_format import texts_of
from contracts.event_line import EventText
from contracts.events.conversation import JournalEntryAdded, ModelCalled
from contracts.events.session import CellRequested, FileEditRequested
from contracts.models.conversation import thought_of

from tests.contracts.examples import full_examples

EXAMPLES = full_examples()


def test_thoughts_of_all_providers_are_read() -> None:
    assert thought_of('{"reasoning_content": "a"}') == "a"
    assert thought_of('{"type": "thinking", "thinking": "b", "signature": "x"}') == "b"
    assert thought_of('{"reasoning_details": [{"type": "reasoning.text", "text": "c"}]}') == "c"
    assert thought_of("no json") == "no json"


def test_texts_of_an_event_have_titles_and_are_not_empty() -> None:
    texts = [each for event in EXAMPLES.values() for each in texts_of(event)]
    assert all(each.title and each.text for each in texts)
    assert len({each.title for each in texts}) > 12


def test_empty_texts_are_left_out() -> None:
    entry = EXAMPLES[JournalEntryAdded].model_copy(update={"reflection": "", "next_step": "go on"})
    assert [each.title for each in texts_of(entry)] == ["Intent", "Result", "Next step"]


def test_code_and_prose_differ_in_form() -> None:
    forms = {each.title: each.form for each in texts_of(EXAMPLES[CellRequested])}
    assert (forms["Purpose"], forms["Code"]) == ("prose", "code")
    assert {each.form for each in texts_of(EXAMPLES[FileEditRequested])} == {"code"}


def test_markdown_with_a_heading_of_its_own_gets_none() -> None:
    assert EventText("Plan", "\n# Plan\n\nGo.").heading == ""
    assert EventText("Plan", "Go.").heading == "Plan"
    assert EventText("Code", "# a comment", "code").heading == "Code"


def test_reasoning_of_a_call_is_one_thought() -> None:
    call = EXAMPLES[ModelCalled]
    assert isinstance(call, ModelCalled)
    reply = call.reply.model_copy(update={"reasoning": ('{"thinking": "a"}', "b")})
    assert texts_of(call.model_copy(update={"reply": reply}))[0] == EventText("Thought", "a\n\nb")
