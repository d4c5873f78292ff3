"""Messages to the critic's model about generated benchmarks: a plan to review, and a certified draft."""

from agent.loop.role import Prompts
from agent.model.messages import user_message
from agent.rendering.signatures import signatures_markdown
from agent.rendering.tables import number, percent
from contracts.events.benchmark import MAX_TESTED, BenchmarkPlanProposed, DraftCertified
from contracts.models.conversation import Message
from documents.markdown import table
from kernel.api.drafts import author_api

from critic.notes import MAX_CELLS, CriticNotes

REVIEWER_FUNCTIONS = ("create", "test", "render", "write")
"""Of an author's `utils`; the others are the author's own."""


def benchmark_plan_message(prompts: Prompts, question: BenchmarkPlanProposed) -> Message:
    """Return the plan of a benchmark to review."""
    brief = question.brief
    text = prompts.render("benchmark_plan", task=brief.task.strip(), level=brief.level, plan=question.plan_md.strip())
    return user_message(text)


def draft_message(prompts: Prompts, question: DraftCertified, notes: CriticNotes) -> Message:
    """Return a certified draft to review with the certificates of its worlds, once a kernel holds it."""
    rows = [
        (
            str(each.seed),
            percent(each.success_rate),
            number(each.reached_after_s),
            number(each.unit_price_usd),
            number(each.mass_kg),
            each.without_machine,
        )
        for each in question.worlds
    ]
    brief, files = question.brief, question.draft.files
    text = prompts.render(
        "draft",
        task=brief.task.strip(),
        level=brief.level,
        plan=question.plan_md.strip(),
        moves="yes" if question.has_motion else "no",
        worlds=table(("seed", "replicas", "s", "USD", "kg", "without a machine"), rows),
        benchmark_yaml=files.benchmark_yaml.strip(),
        environment_py=files.environment_py.strip(),
        witness_py=files.witness_py.strip(),
        signatures=signatures_markdown(author_api, REVIEWER_FUNCTIONS),
        max_cells=MAX_CELLS,
        most_tested=MAX_TESTED,
        filmed_seed="" if notes.media is None or question.weakest is None else question.weakest.seed,
    )
    return user_message(text)
