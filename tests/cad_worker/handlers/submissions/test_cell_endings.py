"""A kernel accepts one design or one refusal of the right type as the end of a cell, and nothing after it."""

import pytest
from contracts.models.submission import Submission

from tests.cad_worker.handlers.run_client import RunClient
from tests.cad_worker.handlers.submissions.test_submissions import SUBMIT
from tests.support.kernel_world import GOOD_SCRIPT

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.usefixtures("opened")]

OTHER_TYPES = {
    "text": ("'B'", "str"),
    "boolean": ("True", "bool"),
    "NaN": ("float('nan')", "float"),
    "infinity": ("float('inf')", "float"),
    "decimal comma": ("'3,5'", "str"),
    "number with unit": ("'3.5 m'", "str"),
    "NumPy integer": ("numpy.int64(3)", "int64"),
    "NumPy float": ("numpy.float32(3)", "float32"),
    "None": ("None", "NoneType"),
    "list of parts": ("[assembly]", "list"),
}
AFTER = {
    "second submission": ("submit_for_review(assembly)", "AlreadyEndedError"),
    "refusal": (f"refuse_plan({'As [cell 1] shows, the goal cannot be reached. ' * 2!r})", "AlreadyEndedError"),
    "exception": ("1 / 0", "ZeroDivisionError"),
}


async def test_submitting_another_type_is_an_error_that_names_it(client: RunClient) -> None:
    await client.write_file("script.py", GOOD_SCRIPT)
    imports = "import numpy\nfrom script import assembly\nfrom utils import submit_for_review\n"
    for name, (given, kind) in OTHER_TYPES.items():
        done = await client.run_cell(f"{imports}submit_for_review({given})")
        assert done.ending is None, name
        assert done.observation.error is not None, name
        assert done.observation.error.type == "NotADesignError", name
        assert f"a {kind} " in done.observation.error.message, name
    assert isinstance((await client.run_cell(SUBMIT)).ending, Submission), "the next cell may submit"


@pytest.mark.parametrize(("then", "error"), AFTER.values(), ids=AFTER.keys())
async def test_cell_that_continues_after_submitting_submits_nothing(client: RunClient, then: str, error: str) -> None:
    await client.write_file("script.py", GOOD_SCRIPT)
    code = (
        "from script import assembly\nfrom utils import refuse_plan, submit_for_review\n"
        f"try:\n    submit_for_review(assembly)\nfinally:\n    {then}"
    )
    done = await client.run_cell(code)
    assert done.ending is None
    assert done.observation.error is not None
    assert done.observation.error.type == error
    assert isinstance((await client.run_cell(SUBMIT)).ending, Submission), "the next cell may submit"


async def test_cell_that_times_out_after_submitting_submits_nothing(client: RunClient) -> None:
    await client.write_file("script.py", GOOD_SCRIPT)
    code = SUBMIT.replace(
        "submit_for_review(assembly)", "try:\n    submit_for_review(assembly)\nfinally:\n    while True:\n        pass"
    )
    done = await client.run_cell(code, timeout_s=2)
    assert done.ending is None
    assert done.observation.status == "timeout"
    assert isinstance((await client.run_cell(SUBMIT)).ending, Submission), "the next cell may submit"
