"""The Compose project that all checks of containers share."""

from collections.abc import Iterator

import pytest

from tests.deploy.containers.compose_project import ComposeProject


@pytest.fixture(scope="session")
def project() -> Iterator[ComposeProject]:
    """All services, built from this checkout and healthy; removed afterwards with their volumes."""
    project = ComposeProject()
    project.down()
    project.start()
    yield project
    project.down()
