"""Messages to the spatial-agent's model: the question with and without its images, observations and notices."""

from collections.abc import Sequence

from agent.kernel_session.messages import answer_cell, with_notice
from agent.loop.role import Prompts
from agent.loop.tool_calls import MAX_CALLS
from agent.model.messages import user_message
from contracts.events.question import QuestionAsked
from contracts.events.session import CellCompleted
from contracts.models.conversation import Message, Picture
from contracts.models.questions.answers import ChoiceSpec, ValidAnswer, expected_text
from contracts.models.questions.frames import FrameRef
from documents.observation import observation_markdown
from spatial.key_frames import TURNS
from spatial.namespace import tools_left, tools_text

from spatial_agent.notes import SpatialNotes

LISTED_FRAMES = 16
"""Of more frames the first and last ones are listed."""
_ENDS = 5
_ANNOUNCED_STEPS = 3
"""The number of replies left is announced from here on."""


def system_message(prompts: Prompts, asked: QuestionAsked, *, is_classic: bool) -> Message:
    """Return the system prompt of the question's executor."""
    acts = asked.executor in ("code", "single_pass", "tool_calls")
    template = "system" if acts else "system_direct"
    values: dict[str, str | int] = {
        "executor": asked.executor,
        "max_steps": asked.limits.max_steps,
        "max_calls": MAX_CALLS,
    }
    if acts:
        values |= {"has_vlm": "vlm" not in asked.tools_off, "tool_texts": _tool_texts(asked)}
        values |= {"has_perception": "perception" not in asked.tools_off, "is_classic": is_classic}
        values |= {"has_segmentation": "segmentation" not in asked.tools_off}
    return Message(author="system", text=prompts.render(template, **values))


def _tool_texts(asked: QuestionAsked) -> str:
    names = tools_left(asked.tools_off)
    return tools_text(names) if names else ""


def plan_message(prompts: Prompts, asked: QuestionAsked) -> Message:
    """Return the request for a plan, which shows no image."""
    return user_message(prompts.render("plan", question=_question(prompts, asked)))


def task_message(prompts: Prompts, asked: QuestionAsked, most_images: int, *, repeats_question: bool) -> Message:
    """Return the question with its images; of more than `most_images` those that matter most.

    After a plan the question is in the conversation already.
    """
    shown = first_shown(asked.question.frames, most_images)
    positions = {frame.frame_index: number for number, frame in enumerate(asked.question.frames)}
    text = prompts.render(
        "task",
        question=_question(prompts, asked) if repeats_question else "",
        frames=frame_list(asked.question.frames),
        shown=len(shown),
        total=len(asked.question.frames),
        acts=asked.executor in ("code", "single_pass", "tool_calls"),
        is_planned=not repeats_question,
        has_key_frames=_has_key_frames(asked),
    )
    pictures = tuple(_picture(frame, positions[frame.frame_index]) for frame in shown)
    return user_message(text, "The question with its images.").model_copy(update={"images": pictures})


def observe_cell(prompts: Prompts, event: CellCompleted, notes: SpatialNotes) -> tuple[SpatialNotes, Message]:
    """Return the observation of the newest cell, and the notes after it."""
    text = prompts.render(
        "observation",
        number=notes.cells,
        observation=observation_markdown(event.observation),
        answer="" if event.answer is None else value_text(event.answer),
    )
    return answer_cell(event, text, notes)


def with_steps_left(
    prompts: Prompts, asked: QuestionAsked, messages: tuple[Message, ...], left: int
) -> tuple[Message, ...]:
    """Return the messages; if few replies are left, the newest one ends with a notice."""
    is_last = left <= 1 or asked.executor == "single_pass"
    if asked.executor in ("none", "chain_of_thought") or (not is_last and left > _ANNOUNCED_STEPS):
        return messages
    notice = prompts.render("last_step" if is_last else "few_steps", left=left, executor=asked.executor)
    return with_notice(messages, notice)


def value_text(answer: ValidAnswer) -> str:
    """Return an answer's value as Python writes it."""
    return repr(answer.value)


def frame_list(frames: Sequence[FrameRef]) -> str:
    """Return one line for each frame, or for the first and last ones of many."""
    lines = [f"- `InputImages[{number}]`: {_frame_text(frame)}" for number, frame in enumerate(frames)]
    if len(lines) > LISTED_FRAMES:
        lines = [*lines[:_ENDS], f"- and so on: {len(frames)} in all", *lines[-_ENDS:]]
    return "\n".join(lines)


def first_shown(frames: Sequence[FrameRef], most: int) -> tuple[FrameRef, ...]:
    """Return at most so many frames: those with turns of a video before the rest, each an even choice."""
    turns = [frame for frame in frames if frame.reason in TURNS]
    first = even_choice(turns, most)
    rest = even_choice([frame for frame in frames if frame not in turns], most - len(first))
    return tuple(sorted((*first, *rest), key=lambda frame: frame.frame_index))


def even_choice(frames: Sequence[FrameRef], most: int) -> tuple[FrameRef, ...]:
    """Return at most so many frames, evenly spaced, the first and the last among them."""
    if most <= 0:
        return ()
    if len(frames) <= most:
        return tuple(frames)
    if most == 1:
        return (frames[len(frames) // 2],)
    positions = {round(number * (len(frames) - 1) / (most - 1)) for number in range(most)}
    return tuple(frames[position] for position in sorted(positions))


def _question(prompts: Prompts, asked: QuestionAsked) -> str:
    question, metadata = asked.question, asked.question.metadata
    choices = question.answer.choices if isinstance(question.answer, ChoiceSpec) else ()
    letters = question.answer.letters if isinstance(question.answer, ChoiceSpec) else ""
    return prompts.render(
        "question",
        text=question.text,
        choices="\n".join(f"{letter}. {choice}" for letter, choice in zip(letters, choices, strict=True)),
        expected=expected_text(question.answer),
        kind=question.answer.kind,
        count=len(question.frames),
        is_video=metadata.is_video,
        is_key=metadata.frame_choice == "key",
        fps="" if metadata.fps is None else f"{metadata.fps:g}",
        total=metadata.total_frames,
        notes=metadata.notes,
    )


def _has_key_frames(asked: QuestionAsked) -> bool:
    is_measured = asked.executor in ("code", "tool_calls") and "utilities" not in asked.tools_off
    return is_measured and asked.question.metadata.frame_choice == "key"


def _frame_text(frame: FrameRef) -> str:
    when = "" if frame.time_s is None else f" at {frame.time_s:.2f} s"
    reason = f", {frame.reason}" if frame.reason else ""
    return f"frame {frame.frame_index}{when}, {frame.width_px} x {frame.height_px} pixels{reason}"


def _picture(frame: FrameRef, position: int) -> Picture:
    when = "" if frame.time_s is None else f" at {frame.time_s:.2f} s"
    reason = f", {frame.reason}" if frame.reason else ""
    caption = f"InputImages[{position}]: frame {frame.frame_index}{when}{reason}"
    return Picture(caption=caption, artifact=frame.picture, width_px=frame.width_px, height_px=frame.height_px)
