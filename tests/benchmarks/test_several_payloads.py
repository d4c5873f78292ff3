"""Several payloads in benchmark.yaml: what is refused, and the worlds that seeds make of them."""

import json
from typing import Any

import pytest
import yaml
from benchmarks.benchmark_file import BenchmarkFile
from benchmarks.drawn_world import overlap_text
from benchmarks.loader import FILE, SUITE, BenchmarkError, load, read_file
from benchmarks.variant import make_variant
from contracts.models.benchmark import Variant

RED = {"label": "red", "shape": "ball", "size_mm": 40, "start_mm": [-180, -90, 470], "material_id": "pom"}
BLUE = RED | {"label": "blue", "shape": "box", "start_mm": [-180, -30, 470], "edges_mm": [40, 30, 20]}
del BLUE["size_mm"]


def content(*payloads: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """Return gravity-chute with these payloads."""
    fields = yaml.safe_load((SUITE / "gravity-chute" / FILE).read_text("utf-8"))
    del fields["payload"]
    return fields | {"payloads": list(payloads)} | changes


def file_of(*payloads: dict[str, Any], **changes: Any) -> BenchmarkFile:
    return read_file(json.dumps(content(*payloads, **changes)).encode(), FILE)


def variant(file: BenchmarkFile, seed: int) -> Variant:
    return make_variant(file, seed, load("gravity-chute", 0).variant.environment_code)


def faults(*payloads: dict[str, Any], **changes: Any) -> tuple[str, ...]:
    with pytest.raises(BenchmarkError) as raised:
        file_of(*payloads, **changes)
    return raised.value.faults


def test_payloads_and_their_rule_are_in_the_variant() -> None:
    made = variant(file_of(RED, BLUE, must_arrive="any"), 3)
    assert [payload.label for payload in made.payloads] == ["red", "blue"]
    assert (made.payload.label, made.must_arrive) == ("red", "any")
    assert variant(file_of(RED, BLUE), 3).must_arrive == "all"


def test_each_payload_draws_its_own_start_and_size_and_the_first_as_a_single_one() -> None:
    varied = {"start_spread_mm": [5, 5, 5], "payload_size": {"low": 0.8, "high": 1.2}}
    two = variant(file_of(RED, BLUE, randomisation=varied), 7)
    fields = content(randomisation=varied) | {"payload": RED}
    del fields["payloads"]
    one = variant(BenchmarkFile.model_validate(fields), 7)
    assert two.payload == one.payload
    draws = {draw.name: draw.value for draw in two.draws}
    assert draws["blue.payload_size"] != draws["payload_size"]
    assert two.payloads[1].edges_mm == tuple(round(draws["blue.payload_size"] * edge, 3) for edge in (40, 30, 20))
    assert draws["blue.start_x"] != draws["start_x"]


def test_worlds_in_which_payloads_overlap_are_drawn_again() -> None:
    close = BLUE | {"start_mm": [-180, -49, 470]}
    made = [variant(file_of(RED, close, randomisation={"start_spread_mm": [0, 10, 0]}), seed) for seed in range(20)]
    assert sum(each.redraws for each in made) >= 3
    for each in made:
        red, blue = (payload.box for payload in each.payloads)
        assert red.max_mm[1] <= blue.min_mm[1]


def test_worlds_of_the_full_range_are_valid_and_repeat() -> None:
    wide = {"low": 0.5, "high": 2.0}
    ranges = {"scale_x": wide, "scale_y": wide, "scale_z": wide, "start_spread_mm": [10, 10, 10], "shrink_up_to": 0.4}
    file = file_of(RED, BLUE, randomisation=ranges)
    for seed in range(100):
        made = variant(file, seed)
        boxes = [payload.box for payload in made.payloads]
        assert all(made.bounds.contains(box) for box in boxes)
        apart = [(boxes[0], boxes[1]), *((box, made.goal_zone) for box in boxes)]
        assert not any(overlap_text(one, other, "it") for one, other in apart)
        assert variant(file, seed) == made


def test_jitter_is_a_share_of_the_smallest_measure_of_all() -> None:
    assert variant(file_of(RED, BLUE, replica_jitter_share=0.1, randomisation={}), 0).replica_jitter_mm == 2.0


def test_file_of_one_payload_has_no_further_fields() -> None:
    """So that digests of benchmarks that were published before stay valid."""
    fields = load("gravity-chute", 0).file.model_dump()
    assert "payload" in fields
    assert fields.keys().isdisjoint({"payloads", "must_arrive"})
    assert load("gravity-chute", 0).variant.model_dump().keys().isdisjoint({"more_payloads", "must_arrive"})


@pytest.mark.parametrize(
    ("payloads", "changes", "fault"),
    [
        ((RED,), {}, "payloads: there are 1, and from 2 to 6 are possible; state it as payload"),
        ((RED, BLUE), {"payload": RED}, "payload and payloads contradict each other; state one of them"),
        ((RED, RED), {}, "payloads: 2 of them are called red; give each its own label"),
        (
            (RED, BLUE | {"start_mm": [-180, -80, 470]}),
            {},
            "payloads.1 (blue).start_mm: the payload blue overlaps the payload red by 25 mm along y; move one of them",
        ),
        ((RED, BLUE | {"friction": 9}), {}, "payloads.1 (blue).friction: 9 is not between 0.01 and 2; correct it"),
        ((RED, BLUE), {"must_arrive": "both"}, "must_arrive: Input should be 'all' or 'any', but it is 'both'"),
    ],
)
def test_payloads_that_cannot_be_are_refused(
    payloads: tuple[dict[str, Any], ...], changes: dict[str, Any], fault: str
) -> None:
    assert fault in faults(*payloads, **changes)


def test_rule_of_arrival_has_no_meaning_for_one_payload() -> None:
    fields = content(must_arrive="any") | {"payload": RED}
    del fields["payloads"]
    with pytest.raises(BenchmarkError, match="must_arrive has no meaning for a single payload"):
        read_file(json.dumps(fields).encode(), FILE)


def test_missing_payload_is_named_beside_other_faults() -> None:
    fields = content(level=9)
    del fields["payloads"]
    with pytest.raises(BenchmarkError) as raised:
        read_file(json.dumps(fields).encode(), FILE)
    assert [fault.partition(":")[0] for fault in raised.value.faults] == ["payload", "level"]


@pytest.mark.parametrize("rule", ["all", "any"])
def test_payload_that_starts_in_the_goal_is_refused(rule: str) -> None:
    goal = load("gravity-chute", 0).file.goal_zone
    inside = BLUE | {"start_mm": list(goal.center_mm)}
    found = faults(RED, inside, must_arrive=rule, randomisation={})
    assert any(fault.startswith("payloads.1 (blue).start_mm: the payload blue overlaps goal_zone") for fault in found)


def test_all_faults_are_listed_at_once() -> None:
    beyond = BLUE | {"label": "red", "start_mm": [9000, 0, 0]}
    found = faults(RED, beyond)
    assert [fault.partition(":")[0] for fault in found] == ["payloads", "payloads.1 (red).start_mm"]


def test_too_many_payloads_are_refused() -> None:
    many = [RED | {"label": f"ball-{number}", "start_mm": [-180, -200 + 45 * number, 470]} for number in range(7)]
    assert "payloads: there are 7, and from 2 to 6 are possible; remove some" in faults(*many)
