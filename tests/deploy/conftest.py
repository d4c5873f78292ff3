"""Everything that the checks of containers share."""

from collections.abc import Iterator

import pytest

from tests.deploy.composition import Composition


@pytest.fixture(scope="session")
def composition() -> Iterator[Composition]:
    """All services, built from this checkout and well; gone afterwards with all they kept."""
    composition = Composition()
    composition.down()
    composition.begin()
    yield composition
    composition.down()
