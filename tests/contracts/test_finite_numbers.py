"""Numbers of contracts are finite: JSON has no others, so that a reader could never accept them."""

from collections.abc import Iterator

import pytest
from contracts.model import Model
from contracts.models.benchmark import Payload
from contracts.registry import EVENTS
from pydantic import ValidationError

from tests.contracts import example_values as values


def all_models(root: type[Model] = Model) -> Iterator[type[Model]]:
    """Yield every class below a model."""
    for each in root.__subclasses__():
        yield each
        yield from all_models(each)


def test_every_model_refuses_numbers_that_are_not_finite() -> None:
    classes = set(all_models())
    assert classes >= set(EVENTS)
    assert [each.__name__ for each in classes if each.model_config.get("allow_inf_nan") is not False] == []


@pytest.mark.parametrize("number", [float("inf"), float("nan")])
@pytest.mark.parametrize("field", ["size_mm", "density_kg_m3", "friction"])
def test_payload_without_a_finite_number_is_refused(field: str, number: float) -> None:
    content = values.VARIANT.payload.model_dump()
    with pytest.raises(ValidationError, match="finite"):
        Payload.model_validate({**content, field: number})
