"""Designs beside which the payload lies far away."""

import pytest

from tests.support.designs import Designs
from tests.support.small_environment import make_designs


@pytest.fixture
def designs() -> Designs:
    made = make_designs()
    away = made.variant.payload.model_copy(update={"start_mm": (-250.0, -250.0, 350.0)})
    return Designs(made.variant.model_copy(update={"payload": away}), made.environment, made.known)
