"""Messages to the generator's model: system prompt and brief, the workspace, observations."""

from collections.abc import Sequence

from agent.kernel_session.messages import answer_cell, citable_numbers
from agent.loop.role import Prompts
from agent.loop.tool_calls import MAX_CALLS
from agent.model.messages import user_message
from agent.rendering.prices import materials_markdown
from agent.rendering.tables import file_names, percent
from benchmarks.loader import CODE, FILE, TEMPLATE, WITNESS
from contracts.events.benchmark import MAX_TESTED, MOVING_FACTOR, BenchmarkRequested
from contracts.events.session import CellCompleted, SessionOpened
from contracts.models.assessment import STABLE_FROM
from contracts.models.conversation import Message
from documents.observation import observation_markdown
from documents.shipped_skills import skill_lines

from benchmark_generator.notes import GeneratorNotes


def first_messages(prompts: Prompts, request: BenchmarkRequested, published: Sequence[str] = ()) -> tuple[Message, ...]:
    """Return the system prompt with the template of a benchmark, and the brief with what is published already."""
    template = {name: (TEMPLATE / name).read_text(encoding="utf-8") for name in (FILE, CODE, WITNESS)}
    system = prompts.render(
        "system",
        benchmark_yaml=template[FILE].strip(),
        environment_py=template[CODE].strip(),
        witness_py=template[WITNESS].strip(),
        materials=materials_markdown(),
        stable_from=percent(STABLE_FROM),
        most_tested=MAX_TESTED,
        max_calls=MAX_CALLS,
    )
    brief = request.brief
    task = prompts.render(
        "brief",
        level=brief.level,
        number=brief.seed,
        worlds=brief.worlds,
        moving_worlds=MOVING_FACTOR * brief.worlds,
        replicas=brief.replicas,
        max_drafts=brief.max_drafts,
        task=brief.task.strip(),
        published="\n".join(published),
        skills=skill_lines("benchmark-generator", ()),
    )
    return Message(author="system", text=system), user_message(task)


def workspace_message(prompts: Prompts, opened: SessionOpened) -> str:
    """Return the message about the opened kernel: its files and the TODO list."""
    return prompts.render("workspace", files=file_names(opened.files), todo=todo_md(prompts).strip())


def todo_md(prompts: Prompts) -> str:
    """Return the TODO list that an author begins with."""
    return prompts.render("todo") + "\n"


def observation(prompts: Prompts, event: CellCompleted, notes: GeneratorNotes) -> tuple[GeneratorNotes, Message]:
    """Return the observation of the newest cell, and the notes after it."""
    shown = observation_markdown(event.observation)
    return answer_cell(event, prompts.render("observation", number=citable_numbers(notes), observation=shown), notes)
