"""One backend for all tests: each opens OpenGL contexts for its scenes."""

from collections.abc import Generator

import pytest
from perception_worker.simulator.backend import SimulatorBackend

from tests.support.questions.perception import simulator_backend


@pytest.fixture(scope="session")
def backend() -> Generator[SimulatorBackend]:
    with simulator_backend() as opened:
        yield opened
