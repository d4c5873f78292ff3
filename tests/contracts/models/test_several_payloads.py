"""Several payloads in variants, scenes and results: absent where there is one, complete where there are more."""

import pytest
from contracts.models.benchmark import MAX_PAYLOADS, Variant
from contracts.models.scene import Scene
from contracts.models.simulation import PayloadResult, ReplicaResult
from pydantic import ValidationError

from tests.contracts import example_values as values

FIRST = values.VARIANT.payload
OTHER = FIRST.model_copy(update={"label": "other"})
RESULT = ReplicaResult(ending="missed_goal", time_s=1, final_mm=(0, 0, 0), max_speed_m_s=1, closest_goal_mm=2)


def scene(**changes: object) -> Scene:
    variant = values.VARIANT
    fields = {name: getattr(variant, name) for name in ("goal_zone", "forbid_zones", "build_zone", "bounds", "hold_s")}
    return Scene.model_validate({**fields, "bodies": (), "payload": FIRST, "duration_s": 5.0, **changes})


@pytest.mark.parametrize("value", [values.VARIANT, scene(), RESULT])
def test_one_payload_is_written_as_before(value: Variant | Scene | ReplicaResult) -> None:
    fields = value.model_dump(mode="json")
    assert fields.keys().isdisjoint({"more_payloads", "must_arrive", "payloads"})
    assert type(value).model_validate(fields) == value


def test_several_payloads_are_read_as_they_were_written() -> None:
    variant = Variant.model_validate(
        values.VARIANT.model_dump() | {"more_payloads": [OTHER.model_dump()], "must_arrive": "any"}
    )
    two = scene(more_payloads=(OTHER,), must_arrive="any")
    end = PayloadResult(
        label="other", has_arrived=False, final_mm=(0, 0, 0), max_speed_m_s=1, closest_goal_mm=2, goal_distance_mm=3
    )
    for value in (variant, two, RESULT.model_copy(update={"payload": "other", "payloads": (end,)})):
        assert type(value).model_validate_json(value.model_dump_json()) == value
    assert [payload.label for payload in two.payloads] == [FIRST.label, "other"]


@pytest.mark.parametrize(
    ("more", "fault"),
    [
        ((FIRST,), "each payload must have its own label"),
        ((OTHER,) * MAX_PAYLOADS, "at most 5 items"),
    ],
)
def test_payloads_of_one_label_and_too_many_are_refused(more: tuple[object, ...], fault: str) -> None:
    with pytest.raises(ValidationError, match=fault):
        scene(more_payloads=more)
