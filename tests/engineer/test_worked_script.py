"""The worked script of the engineer's prompt solves its world."""

import re
from pathlib import Path

import engineer
import pytest
from cad_worker.host import KernelHost

from tests.engineer.example_world import example_world
from tests.support.benchmark_solver import Bench

REPLICAS = 8
TEMPLATE = Path(engineer.__file__).parent / "prompts" / "example.md.j2"


@pytest.mark.asyncio(loop_scope="session")
async def test_worked_script_solves_its_world(kernel_host: KernelHost) -> None:
    (script,) = re.findall(r"```python\n(.*?)```", TEMPLATE.read_text("utf-8"), re.DOTALL)
    solution = await Bench(kernel_host, REPLICAS).witness(example_world(), script)
    assert solution.is_solved, (solution.complaints, solution.result)
    assert solution.complaints == []
