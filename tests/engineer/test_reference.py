"""The engineer's system prompt states what the code decides, and stays short."""

import re
from collections.abc import Iterator
from importlib import resources

import pytest
from agent.loop.role import Prompts
from agent.rendering.signatures import signatures_markdown
from agent.token_estimate import tokens_of_message
from benchmarks.loader import built_in, load
from contracts import criteria
from contracts.events.plan import PlanApproved
from contracts.models.benchmark import Budget, Variant
from contracts.models.conversation import Message
from contracts.models.mechanism import Joint, Mechanism
from documents.shipped_skills import ALL_SKILLS
from engineer.messages import system_message
from engineer.policy import EXECUTORS
from engineer.reference import world_fields
from kernel.baked import utils
from kernel.checker.rules import ALLOWED_MODULES, PROTECTED_NAMES
from parts_catalog.methods import workshop_figures as configuration

from tests.agent.regenerate_prompts import DRIVEN_PLAN, skill_pages
from tests.contracts import example_values as values
from tests.engineer.engineer_harness import plan_approved

MAX_TOKENS = 5_700
MAX_SHORT_TOKENS = 4_800


def system_of(name: str, plan: PlanApproved | None = None) -> Message:
    executor = next(each for each in EXECUTORS.values() if each.prompt == name)
    return system_message(Prompts("engineer"), executor, plan or plan_approved(Budget(max_steps=40)))


def system_prompt() -> str:
    """Return the prompt of a plan that buys a motor."""
    return system_of("system", plan_approved(plan_md=DRIVEN_PLAN)).text


@pytest.mark.parametrize("name", [executor.prompt for executor in EXECUTORS.values()])
def test_system_prompt_is_short_and_the_same_for_one_world(name: str) -> None:
    assert tokens_of_message(system_of(name)) <= MAX_TOKENS
    assert system_of(name) == system_of(name)


@pytest.mark.parametrize("name", [executor.prompt for executor in EXECUTORS.values() if executor.tools])
def test_short_system_prompt_names_the_pages_that_it_leaves_out(name: str) -> None:
    system = system_of(name)
    short = Message(author="system", text=system.gist)
    assert tokens_of_message(short) <= MAX_SHORT_TOKENS
    left_out = [line for line in system.text.splitlines() if line not in system.gist]
    files = ALL_SKILLS["build123d"].files
    text = "".join(files[page].decode() for page in files if f"`{page}`" in system.gist)
    traps = {line.replace("## ", "- ", 1) for line in text.splitlines() if line.startswith("## ")}
    missing = [line for line in left_out if line.startswith(("- ", "### ")) and line.removeprefix("#") not in text]
    assert [line for line in missing if line.partition(":")[0] not in traps] == []


@pytest.mark.parametrize(
    ("constant", "value", "shown"),
    [
        ("JITTER_START_MM", 7.5, "up to 7.5 mm"),
        ("AT_REST_M_S", 0.033, "below 0.033"),
        ("NEAR_STALL_SHARE", 0.45, "more than 45 % of its stall torque"),
        ("NEAR_STALL_LIMIT_S", 1.25, "longer than 1.25 s"),
        ("CONTACT_GAP_MM", 0.07, "gap at most 0.07 mm"),
        ("LEAST_PITCH_MM", 4.4, "4.4 mm or more"),
        ("PRESSED_MM", 0.31, "more than 0.31 mm"),
        ("BUCKLING_SAFETY", 2.7, "a safety of 2.7"),
        ("FLEXIBLE_SHARE", 0.03, "up to 3 % of its length"),
    ],
)
def test_prompt_follows_the_criteria(constant: str, value: float, shown: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert shown not in flat(system_prompt())
    monkeypatch.setattr(criteria, constant, value)
    assert shown in flat(system_prompt())


def test_prices_follow_the_configuration(monkeypatch: pytest.MonkeyPatch) -> None:
    larger = configuration.FILAMENT_RATES.model_copy(update={"margin": 2.0})
    monkeypatch.setattr("agent.rendering.prices.FILAMENT_RATES", larger)
    assert "costs 2.10 USD before any filament" in flat(system_prompt())


def test_prompt_lists_names_and_modules_of_the_checker() -> None:
    prompt = system_prompt()
    assert all(f"`{name}`" in prompt or name in utils.__all__ for name in PROTECTED_NAMES)
    assert {"scipy", "io", "inspect", "statistics"} <= ALLOWED_MODULES
    assert all(re.search(rf"\b{name}\b", prompt) for name in ("scipy", "io", "inspect", "statistics"))


def variants() -> Iterator[Variant]:
    """Yield worlds with and without zones, obstacles, several payloads, a limit of power and shapes of payloads."""
    yield from (load(name, 0).variant for name in built_in())
    yield values.VARIANT


def paths_of(listed: str) -> list[str]:
    """Return each path that lines such as ``- `benchmark.payload`: `.label`, `.box.min_mm` `` name."""
    lines = [re.findall(r"`([^`]+)`", line.partition(" (")[0]) for line in listed.splitlines()]
    return [f"{first}{member}" if member.startswith(".") else first for first, *rest in lines for member in ("", *rest)]


def test_fields_of_the_benchmark_are_those_of_the_world_at_hand() -> None:
    for benchmark in variants():
        listed = world_fields(benchmark)
        for path in paths_of(listed):
            assert eval(path, {"benchmark": benchmark}) is not None, path
        for name in ("forbid_zones", "obstacles"):
            assert (f"`benchmark.{name}[0]`" in listed) == bool(getattr(benchmark, name))
        assert ("supply_limit_w" in listed) == (benchmark.supply_limit_w is not None)
        assert "environment_code" not in listed


def test_prompt_speaks_of_moving_solids_only_where_there_are_some() -> None:
    plan = plan_approved()
    still = plan.environment.model_copy(update={"mechanism": Mechanism()})
    hinge = Joint(label="hinge", kind="revolute", parent="ground", child="gate", anchor_mm=(0, 0, 0))
    moving = plan.environment.model_copy(update={"mechanism": Mechanism(joints=(hinge,))})
    texts = [flat(system_of("system", plan.model_copy(update={"environment": each})).text) for each in (still, moving)]
    assert ["Nothing of the environment moves" in text for text in texts] == [True, False]
    assert ["Moving parts of the environment" in text for text in texts] == [False, True]


@pytest.mark.parametrize("name", [executor.prompt for executor in EXECUTORS.values()])
def test_prompt_has_motors_where_the_plan_buys_one_or_no_page_can_be_viewed(name: str) -> None:
    still, driven = (system_of(name, plan_approved(plan_md=plan)).text for plan in (values.PLAN, DRIVEN_PLAN))
    assert "### Motors" in driven
    assert ("### Motors" in still) == (name == "system_single_pass")
    assert "`drive(" in still, "what is left out is named"
    assert "bought-parts/SKILL.md" in still or name == "system_single_pass"


def test_materials_are_those_of_the_plans_methods_and_all_if_the_plan_cannot_be_read() -> None:
    printed, unreadable = (system_of("system", plan_approved(plan_md=plan)).text for plan in (values.PLAN, "# Plan"))
    assert "| pla |" in printed
    assert "| aluminum-6061 |" not in printed
    assert "`skills/workbenches/references/materials.md` has the same for cnc" in printed
    assert "| aluminum-6061 |" in unreadable
    assert "### Motors" in unreadable
    page = ALL_SKILLS["workbenches"].files["skills/workbenches/references/materials.md"].decode()
    assert "| aluminum-6061 |" in page


def test_signatures_are_those_of_the_functions() -> None:
    listed = signatures_markdown(utils)
    assert "- `bond_contacts(*things, to=None)`: " in listed
    assert "- `Positions(times_s, targets)`: " in listed
    for name in utils.__all__:
        thing = getattr(utils, name)
        if getattr(thing, "__name__", "") == name and "function" in type(thing).__name__:
            assert f"- `{name}(" in listed


def test_pages_of_the_skill_have_the_physics_and_the_script_of_the_prompt() -> None:
    """If this fails, run `python -m tests.agent.regenerate_prompts`."""
    assert {path.read_text("utf-8") == text for path, text in skill_pages().items()} == {True}
    assert resources.files("documents").joinpath("skills").is_dir()


def flat(text: str) -> str:
    return " ".join(text.split())
