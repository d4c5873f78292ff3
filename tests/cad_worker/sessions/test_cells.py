"""Cells of one session share a namespace, and the session survives them, in real children of a real zygote."""

import pytest
from kernel_host.sessions.session import Session

from tests.cad_worker.cells import run

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_part_is_described_by_label_box_volume_and_mass(session: Session) -> None:
    code = 'import build123d as bd\nplate = bd.Box(10, 20, 30)\nplate.label = "plate"\n'
    outcome = await run(session, f'{code}plate.metadata = {{"material_id": "pla"}}')
    (plate,) = outcome.observation.variables
    assert plate.summary == (
        "label='plate', 10.0 x 20.0 x 30.0 mm from (-5.0, -10.0, -15.0), volume 6000 mm³, mass 4.5 g"
    )


async def test_namespace_contains_benchmark_and_environment(session: Session) -> None:
    outcome = await run(
        session, "print(benchmark.benchmark, limits.max_mass_kg, quantity, environment.children[0].label)"
    )
    assert outcome.observation.output == "table 1.0 100 floor\n"


async def test_printed_text_is_always_storable(session: Session) -> None:
    outcome = await run(session, "print('a\\x00b\\ud800c')\nraise ValueError('\\x00\\udfff')")
    text = outcome.observation.model_dump_json()
    assert "\\u0000" not in text
    assert outcome.observation.error is not None
    assert outcome.observation.error.message.encode()


async def test_code_with_a_surrogate_runs(session: Session) -> None:
    outcome = await run(session, "print('a\ud800b')")
    assert set(outcome.observation.output) == {"a", "\ufffd", "b", "\n"}


async def test_refused_code_lists_every_violation_and_does_not_run(session: Session) -> None:
    outcome = await run(session, "touched = 1\nimport os\nopen('x')\n().__bases__")
    assert outcome.observation.status == "refused"
    assert outcome.observation.error is not None
    assert [line.split(",")[0] for line in outcome.observation.error.message.splitlines()[1:]] == [
        "- line 2",
        "- line 3",
        "- line 4",
    ]
    assert (await run(session, "touched")).observation.status == "error"


@pytest.mark.parametrize(
    ("code", "hint"),
    [
        ("simulat(3)", "; did you mean `simulate`?"),
        ("ManufacturingMethod.CNC", "; `from utils import ManufacturingMethod` provides it"),
        ("Box(1, 2, 3)", "; `from build123d import Box` provides it"),
        ("widht = 3\nprint(widhts)", "; did you mean `widht`?"),
        ("qqq", "' is not defined"),
    ],
)
async def test_missing_name_comes_with_its_import_or_a_similar_name(session: Session, code: str, hint: str) -> None:
    outcome = await run(session, code)
    assert outcome.observation.error is not None
    assert outcome.observation.error.message.endswith(hint)


async def test_workspace_module_is_reloaded_after_each_write(session: Session) -> None:
    for value in (1, 2):
        session.workspace.write("script.py", f"assembly = {value}\n")
        outcome = await run(session, "from script import assembly\nassembly")
        assert outcome.observation.output == f"{value}\n"


async def test_workspace_module_is_checked(session: Session) -> None:
    session.workspace.write("script.py", "import socket\n")
    outcome = await run(session, "import script")
    assert outcome.observation.status == "refused"


async def test_random_numbers_repeat_with_the_seed_of_the_cell(session: Session) -> None:
    code = "import random, numpy\n(random.random(), float(numpy.random.rand()))"
    assert (await run(session, code)).observation.output == (await run(session, code)).observation.output
