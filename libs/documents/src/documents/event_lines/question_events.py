"""Lines of the events of a question."""

from contracts.events import question

from documents.event_lines.event_line import EventLine, describe, register_failures, spaced
from documents.event_lines.text import counted, headline


@describe.register
def _(event: question.QuestionAsked) -> EventLine:
    images = counted(len(event.question.frames), "image")
    return EventLine(f"question about {images}, {spaced(event.executor)}, model {event.model}: {event.question.text}")


@describe.register
def _(event: question.QuestionSessionRequested) -> EventLine:
    return EventLine(f"kernel with {counted(len(event.frames), 'image')} requested", "detail")


@describe.register
def _(event: question.LookRequested) -> EventLine:
    return EventLine(f"vision model looks at {counted(len(event.images), 'picture')}: {headline(event.text)}")


@describe.register
def _(event: question.LookCompleted) -> EventLine:
    return EventLine(f"vision model {event.model}: {headline(event.text)}")


@describe.register
def _(event: question.QuestionAnswered) -> EventLine:
    last = "" if event.ending == "returned" else ", the last valid one"
    return EventLine(f"answer: {event.answer.value!r}, {counted(event.steps, 'step')}{last}", "success")


@describe.register
def _(event: question.QuestionFailed) -> EventLine:
    why = "refused" if event.is_refusal else spaced(event.reason)
    return EventLine(f"no answer ({why}): {event.detail}", "failure")


register_failures({question.LookFailed: "no look"})
