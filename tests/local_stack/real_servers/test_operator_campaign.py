"""A few sequences of `./run chaos operator`: nothing that was acknowledged is lost silently."""

from pathlib import Path

import pytest

from tests.chaos.operator.sequence import Sequence
from tests.support.clusters.small_disk import can_mount


@pytest.mark.sample(1)
@pytest.mark.parametrize("actions", [("move", "unmount"), ("back up", "wipe", "restore"), ("downgrade", "fill disk")])
async def test_stack_survives_actions_of_an_operator(tmp_path: Path, actions: tuple[str, ...]) -> None:
    if not can_mount(tmp_path):
        pytest.skip("mounting a file system needs root")
    sequence = Sequence(tmp_path, 0, None)
    await sequence.run(actions)
    assert not sequence.silent
