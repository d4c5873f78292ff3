"""Copies of values with changes: they are validated like new ones."""

from math import inf
from typing import Any

import pytest
from contracts.events.session import CellRequested
from contracts.models.benchmark import Limits
from pydantic import ValidationError

from tests.contracts.examples import full_examples


@pytest.mark.parametrize(
    "changes",
    [
        {"timeout_s": "soon"},
        {"timeout_s": -1.0},
        {"timeout_s": inf},
        {"code": None},
        {"role": "enginer"},
        {"kind": "engineerings"},
        {"id": "not a UUID"},
        {"journal_entries": ("x",)},
        {"causation_id": 5},
        {"schema_version": 9},
    ],
)
def test_copy_with_a_wrong_value_is_refused(changes: dict[str, Any]) -> None:
    cell = full_examples()[CellRequested]
    with pytest.raises(ValidationError, match=next(iter(changes))):
        cell.model_copy(update=changes)


def test_copy_with_an_unknown_field_is_refused_by_its_name() -> None:
    with pytest.raises(TypeError, match="CellRequested has no field timout_s"):
        full_examples()[CellRequested].model_copy(update={"timout_s": 5.0})


def test_copy_with_changes_keeps_the_other_fields() -> None:
    limits = Limits(max_mass_kg=2.0, max_parts=3)
    assert limits.model_copy(update={"max_parts": 4}) == Limits(max_mass_kg=2.0, max_parts=4)
    assert limits.model_copy() == limits
