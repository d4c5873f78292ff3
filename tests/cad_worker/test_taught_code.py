"""What prompts, skills and the docs of `utils` teach, kernels accept and run, line by line."""

import inspect
import re
from collections.abc import Sequence
from importlib.resources import files

import pytest
from cad_worker.host import KernelHost
from kernel.api.drafts import author_utils
from kernel.api.reviews import reviewer_utils
from kernel.baked import utils
from kernel.checker.checker import violations
from kernel_host.sessions.session import Session

from tests.cad_worker.cells import run
from tests.engineer.example_world import example_world
from tests.support.benchmark_solver import NO_TOOL, Bench
from tests.support.replies.taught_code import BLOCK, PROMPTS, SKILLS, blocks_of, calls_of, function_of

CALL = re.compile(r"`((?:\w+ = )?[^`]*\w\([^`]*\))`")
SCRIPT = "It solved a world of level ground"
"""Before the worked script."""
ENGINEERS = {name: text for name, text in PROMPTS.items() if name.startswith("engineer/")}
ELSEWHERE = {*reviewer_utils.__all__, *author_utils.__all__} - {*utils.__all__, "show", "simulate"}
"""Functions of other kernels, whose own tests run them."""
SURROUNDINGS = """
from build123d import *
from utils import *

def part(label, x, size):
    made = Pos(x, 0, 20) * Box(*size)
    made.label = label
    made.metadata = {"manufacturing_method": ManufacturingMethod.PRINTING_3D, "material_id": "pla"}
    return made

leg, arm, servo = part("leg", 0, (10, 10, 40)), part("arm", 30, (10, 10, 40)), catalog_part("mg996r")
frame = part("frame", 60, (10, 10, 40))
""".strip()
NAMES = """
base, rail, carriage = part("base", 90, (10, 10, 40)), part("rail", 99, (10, 10, 40)), part("shoe", 9, (9, 9, 9))
seat = (0, 0, 0)
motor, thing, shape, b, pin = servo, arm, arm, frame, RigidJoint("pin", arm)
part = Box(9, 9, 9)
id, joint, x, y, z, n, t0, t1, height, text, reason = "608zz", "hinge", 1, 2, 3, 1, 0.1, 0.2, 5, "a text", "a reason"
proof = "The wall is higher than anything that can be built: [cell 1] measured it, and [simulation 1] shows the stop."
intent = result = reflection = next_step = "a sentence"
points = outline_points = [(0, 0), (9, 0), (9, 9)]
outline, sketch, box, face = Polyline(*points, close=True), Rectangle(40, 30), Box(20, 20, 20), None
run, variant = simulate(assembly), benchmark

def build(variant):
    return assembly
""".strip()


def documented_calls() -> list[str]:
    docs = [inspect.getdoc(getattr(utils, name)) or "" for name in utils.__all__]
    return list(dict.fromkeys(call for doc in docs for call in CALL.findall(doc.partition("\n")[0])))


def taught_blocks() -> list[str]:
    prompts = [text.partition(SCRIPT)[0] + text.partition("## Form of your reply")[2] for text in ENGINEERS.values()]
    return list(dict.fromkeys(code for text in [*SKILLS.values(), *prompts] for code in blocks_of(text)))


def taught_calls() -> list[str]:
    calls = dict.fromkeys(call for text in [*ENGINEERS.values(), *SKILLS.values()] for call in calls_of(text))
    reopened = {call: f'todo.uncheck("T1"); {call}' for call in calls if call.startswith("todo.drop")}
    return [reopened.get(call, call) for call in calls if function_of(call) not in ELSEWHERE]


def worked_script() -> str:
    (script,) = blocks_of(SKILLS["skills/build123d/references/script.md"])
    return script


async def failures(host: KernelHost, cells: Sequence[str]) -> dict[str, str]:
    """Return the errors of cells in the world of the worked script, after what they refer to."""
    found = await Bench(host, 2).failures(example_world(), [worked_script(), SURROUNDINGS, NAMES, *cells])
    return {code: error for code, error in found.items() if NO_TOOL not in error}


@pytest.mark.asyncio(loop_scope="session")
async def test_each_block_of_prompts_and_skills_runs_in_a_kernel(kernel_host: KernelHost) -> None:
    assert await failures(kernel_host, [f"from build123d import *\n{code}" for code in taught_blocks()]) == {}
    assert len(taught_blocks()) > 15


@pytest.mark.asyncio(loop_scope="session")
async def test_each_call_in_prompts_and_skills_runs_in_a_kernel(kernel_host: KernelHost) -> None:
    assert await failures(kernel_host, taught_calls()) == {}
    assert len(taught_calls()) > 30


@pytest.mark.asyncio(loop_scope="session")
async def test_each_call_in_the_docs_of_utils_runs_in_a_kernel(session: Session) -> None:
    calls = {call: call.replace("*frame", "*[frame]") for call in documented_calls()}
    outcomes = {name: await run(session, code) for name, code in {"surroundings": SURROUNDINGS, **calls}.items()}
    assert {name: str(each.observation.error) for name, each in outcomes.items() if each.observation.error} == {}
    assert len(documented_calls()) > 6


@pytest.mark.parametrize("package", ["benchmark_generator", "critic", "engineer", "planner", "spatial_agent"])
def test_checker_accepts_each_block_of_the_templates(package: str) -> None:
    folder = files(package) / "prompts"
    texts = [each.read_text("utf-8") for each in folder.iterdir() if each.name.endswith(".md.j2")]
    codes = [code for text in texts for code in BLOCK.findall(text) if "{{" not in code]
    assert {code: violations(code) for code in codes if violations(code)} == {}
