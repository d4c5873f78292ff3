"""Messages to the critic's model about generated benchmarks: a plan to review, and a certified draft."""

from agent.loop.role import Prompts
from agent.model.messages import user_message
from agent.rendering.tables import number, percent
from contracts.events.benchmark import BenchmarkPlanProposed, DraftCertified
from contracts.models.conversation import Message
from documents.markdown import table


def benchmark_plan_message(prompts: Prompts, question: BenchmarkPlanProposed) -> Message:
    """Return the plan of a benchmark to review."""
    brief = question.brief
    text = prompts.render("benchmark_plan", task=brief.task.strip(), level=brief.level, plan=question.plan_md.strip())
    return user_message(text)


def draft_message(prompts: Prompts, question: DraftCertified) -> Message:
    """Return a certified draft to review, with the certificates of its worlds."""
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
    )
    return user_message(text)
