"""Messages to the generator's model: system prompt and brief, and why a draft is not published."""

from collections.abc import Sequence

from agent.loop.role import Prompts
from agent.model.messages import user_message
from agent.rendering.assignment import materials_markdown
from agent.rendering.prices import price_law_markdown
from agent.rendering.tables import percent
from benchmarks.loader import CODE, FILE, TEMPLATE, WITNESS
from contracts.events.benchmark import MOVING_FACTOR, BenchmarkRequested, DraftFinding
from contracts.models.assessment import STABLE_FROM
from contracts.models.conversation import Message
from documents.shipped_skills import skill_lines

STAGES = {
    "environment": "environment.py",
    "witness": "witness.py",
    "world": "the world without a machine",
    "simulation": "the simulation of the witness",
}


def first_messages(prompts: Prompts, request: BenchmarkRequested, published: Sequence[str] = ()) -> tuple[Message, ...]:
    """Return the system prompt with the template of a benchmark, and the brief with what is published already."""
    template = {name: (TEMPLATE / name).read_text(encoding="utf-8") for name in (FILE, CODE, WITNESS)}
    system = prompts.render(
        "system",
        benchmark_yaml=template[FILE].strip(),
        environment_py=template[CODE].strip(),
        witness_py=template[WITNESS].strip(),
        materials=materials_markdown(),
        prices=price_law_markdown(),
        stable_from=percent(STABLE_FROM),
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


def findings_markdown(findings: Sequence[DraftFinding]) -> str:
    """Return why worlds of a draft are not certified, each with its seed and the stage at which it failed."""
    return "\n\n".join(f"### Seed {each.seed}, {STAGES[each.stage]}\n\n{each.detail.strip()}" for each in findings)
