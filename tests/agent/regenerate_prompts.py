"""Writes the golden system prompts of all roles: `python -m tests.agent.regenerate_prompts`."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import documents
from agent.loop.role import Prompts
from benchmark_generator.messages import first_messages as generator_messages
from catalog.policy import MAX_QUERIES
from contracts.envelope import deciding
from contracts.events.session import SessionOpened
from contracts.models.benchmark import Budget
from critic.messages import system_message as critic_system_message
from engineer.messages import first_messages as engineer_messages
from engineer.notes import EngineerNotes
from engineer.policy import EXECUTORS
from engineer.reference import PAGES, criteria_values
from planner.messages import first_messages as planner_messages
from skill_learner.policy import system_prompt as learner_system_prompt
from spatial_agent.messages import system_message as question_system_message

from tests.agent.role_harness import engineering_requested
from tests.benchmark_generator.generator_harness import benchmark_requested
from tests.contracts import example_values as values
from tests.engineer.engineer_harness import plan_approved
from tests.spatial_agent.question_harness import question_asked

TESTS = Path(__file__).parents[1]
MAX_STEPS = 200
DRIVEN_PLAN = values.PLAN.replace("| leg |", "| servo | 1 | catalog | mg996r | ? | ? |\n| leg |")


def current_prompts() -> dict[Path, str]:
    """Return the rendered system prompts by their golden files, such as tests/planner/golden/system.md."""
    prompts = {
        TESTS / "planner/golden/system.md": planner_messages(
            Prompts("planner"), engineering_requested(), values.ENVIRONMENT, ()
        )[0].text,
        TESTS / "critic/golden/system.md": critic_system_message(Prompts("critic")).text,
        TESTS / "skill_learner/golden/system.md": learner_system_prompt(Prompts("skill_learner")),
        TESTS / "benchmark_generator/golden/system.md": generator_messages(
            Prompts("benchmark_generator"), benchmark_requested()
        )[0].text,
        TESTS / "catalog/golden/system.md": Prompts("catalog").render("system", max_queries=MAX_QUERIES),
    }
    for executor in ("code", "tool_calls", "single_pass", "chain_of_thought"):
        asked = question_asked(executor=executor)
        system = question_system_message(Prompts("spatial_agent"), asked, is_classic=False)
        prompts[TESTS / f"spatial_agent/golden/{executor}.md"] = system.text
    prompts |= dict(_engineer_prompts())
    return {path: f"{text}\n" for path, text in prompts.items()}


def _engineer_prompts() -> Iterator[tuple[Path, str]]:
    """Yield those of plans without and with a motor."""
    plan = plan_approved(Budget(max_steps=MAX_STEPS))
    opened = SessionOpened(**deciding(plan, "engineer", 1), ready_s=0.1, files=())
    for executor in EXECUTORS.values():
        for ending, each in {"": plan, "_driven": plan.model_copy(update={"plan_md": DRIVEN_PLAN})}.items():
            system, _ = engineer_messages(Prompts("engineer"), executor, each, EngineerNotes(plan=each), opened)
            if executor.tools or not ending:
                yield TESTS / f"engineer/golden/{executor.prompt}{ending}.md", system.text


def skill_pages() -> dict[Path, str]:
    """Return the pages of the build123d skill with texts of the engineer's prompt: physics, and the whole script."""
    text = Prompts("engineer").render("physics", **criteria_values(), drives=True)
    page = re.sub("^### ", "## ", text, flags=re.MULTILINE)
    script = f"# A whole script\n\n{Prompts('engineer').render('example')}\n"
    pages = {"physics.md": f"# Physics of a design\n\n{page}\n", "script.md": script}
    return {Path(documents.__file__).parent / PAGES / name: text for name, text in pages.items()}


def main() -> int:
    """Write the prompts that changed; return 1 if there are any, as git's hooks expect."""
    prompts = current_prompts() | skill_pages()
    changed = [path for path, text in prompts.items() if not path.exists() or path.read_text("utf-8") != text]
    for path in changed:
        path.parent.mkdir(exist_ok=True)
        path.write_text(prompts[path], "utf-8")
        sys.stderr.write(f"written: {path.relative_to(TESTS.parent)}\n")
    return 1 if changed else 0


if __name__ == "__main__":
    sys.exit(main())
