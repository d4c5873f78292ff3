"""Models that reply in different manners build the same machine.

All six manners: `./run perf manners`.
"""

import pytest

from tests.support.clusters.cluster import Endpoints
from tests.support.clusters.manner_runs import run_manners


@pytest.mark.timeout(600)
async def test_models_of_different_manners_build_the_same_machine(real_servers: Endpoints) -> None:
    runs = await run_manners(real_servers, ("parallel", "json"))
    assert [each.problem for run in runs for each in run.refused] == []
    assert all(run.digest for run in runs), [run.end for run in runs]
    assert len({run.digest for run in runs}) == 1
