"""What prompts, skills and the docs of `utils` teach, kernels accept and run."""

import inspect
import re
from collections.abc import Mapping
from importlib.resources import files

import pytest
from agent.loop.role import Prompts
from cad_worker.sessions.session import Session
from documents.shipped_skills import ALL_SKILLS
from engineer.messages import system_message
from engineer.policy import EXECUTORS
from kernel.baked import utils
from kernel.checker.checker import violations

from tests.cad_worker.cells import run

BLOCK = re.compile(r"```python\n(.*?)```", re.DOTALL)
CALL = re.compile(r"`((?:\w+ = )?[^`]*\w\([^`]*\))`")
SKILLS = [file.decode() for skill in ALL_SKILLS.values() for file in skill.files.values()]
SYSTEM = [system_message(Prompts("engineer"), executor, 40).text for executor in EXECUTORS.values()]
SCRIPT = "It solved a world of level ground"
"""Before the worked script, which a test of the engineer runs in that world."""
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


def blocks() -> list[str]:
    prompts = [text.partition(SCRIPT)[0] + text.partition("## Form of your reply")[2] for text in SYSTEM]
    return list(dict.fromkeys(code for text in [*SKILLS, *prompts] for code in BLOCK.findall(text)))


def documented_calls() -> list[str]:
    docs = [inspect.getdoc(getattr(utils, name)) or "" for name in utils.__all__]
    return list(dict.fromkeys(call for doc in docs for call in CALL.findall(doc.partition("\n")[0])))


async def refusals(session: Session, cells: Mapping[str, str]) -> dict[str, str]:
    """Run cells, by what they show; return the errors."""
    outcomes = {name: (await run(session, code)).observation for name, code in cells.items()}
    return {name: str(each.error) for name, each in outcomes.items() if each.status != "ok"}


@pytest.mark.asyncio(loop_scope="session")
async def test_each_block_of_prompts_and_skills_runs_in_a_kernel(session: Session) -> None:
    assert await refusals(session, {code: f"from build123d import *\n{code}" for code in blocks()}) == {}
    assert len(blocks()) > 15


@pytest.mark.asyncio(loop_scope="session")
async def test_each_call_in_the_docs_of_utils_runs_in_a_kernel(session: Session) -> None:
    calls = {call: call.replace("*frame", "*[frame]") for call in documented_calls()}
    assert await refusals(session, {"surroundings": SURROUNDINGS, **calls}) == {}
    assert len(documented_calls()) > 6


@pytest.mark.parametrize("package", ["critic", "engineer", "planner"])
def test_checker_accepts_each_block_of_the_templates(package: str) -> None:
    folder = files(package) / "prompts"
    texts = [each.read_text("utf-8") for each in folder.iterdir() if each.name.endswith(".md.j2")]
    refused = {code: violations(code) for text in texts for code in BLOCK.findall(text) if violations(code)}
    assert refused == {}
