"""Models that reply in different modes build the same machine.

All six modes: `./run perf models/replies --modes`.
"""

import pytest

from tests.support.clusters.cluster import Endpoints
from tests.support.clusters.reply_mode_runs import run_reply_modes


@pytest.mark.full
async def test_models_of_different_reply_modes_build_the_same_machine(real_servers: Endpoints) -> None:
    parallel, json = await run_reply_modes(real_servers, ("parallel", "json"), to_submission=("parallel",))
    assert [each.problem for run in (parallel, json) for each in run.refused] == []
    assert json.digest, json.end
    assert parallel.submitted == json.submitted == json.digest
