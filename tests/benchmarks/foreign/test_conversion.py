"""Foreign definitions: what they become, what is assumed, and what is refused."""

from pathlib import Path
from typing import Any

import pytest
from benchmarks.foreign.conversion import ImportedBenchmark, read_foreign
from benchmarks.foreign.folder import file_text, write_folder
from benchmarks.foreign.script import slab_script
from benchmarks.loader import CODE, FILE, BenchmarkError, load

from tests.benchmarks.foreign.definitions import Fields, definition, in_metres, objectives, payload, text_of


def imported(fields: Fields, *, has_script: bool = False) -> ImportedBenchmark:
    return read_foreign(text_of(fields), "foreign.yaml", "foreign", has_script=has_script)


def assumptions(fields: Fields) -> list[str]:
    """Return the fields about which something was assumed."""
    return [each.split(":")[0] for each in imported(fields).assumed]


def test_definition_in_millimetres_keeps_its_figures() -> None:
    file = imported(definition()).file
    assert (file.name, file.goal_zone.min_mm, file.bounds.max_mm) == ("foreign", (60, -30, 0), (150, 100, 200))
    assert (file.all_payloads[0].shape, file.all_payloads[0].size_mm, file.all_payloads[0].start_mm) == (
        "ball",
        30,
        (-60, 0, 120),
    )
    assert (file.all_payloads[0].material_id, file.replica_jitter_mm) == ("aluminum-6061", 4)
    assert (file.limits.max_unit_price_usd, file.limits.max_mass_kg) == (80, 0.9)
    sizes = file.randomisation.payload_size
    assert (sizes.low, sizes.high) == (0.8, 1.2)
    assert [zone.label for zone in file.forbid_zones] == ["guard"]


@pytest.mark.parametrize("stated", [{}, {"units": "m"}, {"units": {"length": "metres", "mass": "g"}}])
def test_definition_in_metres_is_the_same_benchmark(stated: Fields) -> None:
    limits = definition()["constraints"]
    metres = imported({**in_metres(definition()), "constraints": limits, **stated})
    assert metres.file == imported(definition()).file
    assert ("taken as m," in metres.assumed[0]) == (not stated)


@pytest.mark.parametrize("stated", [{}, {"units": "mm"}])
def test_names_with_units_and_other_layouts_are_read(stated: Fields) -> None:
    zones = definition()["objectives"]
    bounds = {"min_mm": [-150, -100, -10], "max_mm": [150, 100, 200]}
    ball = payload(start_position=None, static_randomization=None) | {"start_position_mm": [-60, 0, 120]}
    other = {
        "goal": [[60, -30, 0], [120, 30, 50]],
        "build_zone": {"center": [0, 0, 95], "size": [280, 180, 190]},
        "forbidden_zones": {"guard": {"min": [-20, -90, 0], "max": [5, -50, 60]}},
        "bounds_mm": bounds,
        "payload": ball | {"diameter_mm": 30},
        "limits": {"max_cost_usd": 80, "max_mass_kg": 0.9},
        **stated,
    }
    found = imported(other)
    assert zones["goal_zone"]["min"] == list(found.file.goal_zone.min_mm)
    assert found.file.model_copy(update={"randomisation": imported(definition()).file.randomisation}) == (
        imported(definition()).file
    )
    assert found.assumed[0] == "all lengths are in mm, as the file states"


@pytest.mark.parametrize(
    ("shape", "given", "measures"),
    [
        ("sphere", {}, ("ball", 17, None, None)),
        ("cube", {"radius": 10}, ("cube", 20, None, None)),
        ("box", {"size": [10, 20, 30]}, ("box", None, (10, 20, 30), None)),
        ("cylinder", {"radius": 10}, ("cylinder", 20, None, 20)),
        ("capsule", {"diameter": 10, "height": 40}, ("capsule", 10, None, 40)),
        ("mesh", {"mesh": "duck.stl", "size": [10, 20, 30]}, ("box", None, (10, 20, 30), None)),
    ],
)
def test_payload_of_each_shape_has_measures(shape: str, given: Fields, measures: tuple[Any, ...]) -> None:
    fields = definition(moved_object=payload(shape=shape, static_randomization=None, **given))
    found = imported(fields).file.all_payloads[0]
    assert (found.shape, found.size_mm, found.edges_mm, found.length_mm) == measures
    assert ("payload.size" in assumptions(fields)) == (not given)


def test_density_follows_from_the_mass_or_is_assumed() -> None:
    cube = {"shape": "cube", "size": 20, "static_randomization": None, "material_id": None}
    weighed = imported(definition(moved_object=payload(**cube, mass_g=8)))
    assert (weighed.file.all_payloads[0].density_kg_m3, weighed.file.all_payloads[0].friction) == (1000, 0.4)
    assert any("from its mass of 0.008 kg" in each for each in weighed.assumed)
    unknown = imported(definition(moved_object=payload(**cube)))
    assert unknown.file.all_payloads[0].material_id == "abs"
    assert any(each.startswith("payload.density: neither") for each in unknown.assumed)


def test_limits_follow_from_estimates_and_from_weights_without_a_unit() -> None:
    estimate = {"estimated_solution_cost_usd": 20, "estimated_solution_weight_g": 800}
    limits = imported(definition(constraints=estimate)).file.limits
    assert (limits.max_unit_price_usd, limits.max_mass_kg) == (30, 1.2)
    assert imported(definition(constraints={"max_weight": 10})).file.limits.max_mass_kg == 10
    assert imported(definition(constraints={"max_weight": 500})).file.limits.max_mass_kg == 0.5
    assert {"constraints.max_unit_cost", "constraints.max_weight"} <= set(
        assumptions(definition(constraints={"max_weight": 10}))
    )


def test_supply_is_voltage_times_current() -> None:
    supply = {"power_supply_available": {"voltage_dc": 12, "max_current_a": 2}}
    assert imported(definition(electronics_requirements=supply)).file.supply_limit_w == 24


def test_unknown_fields_are_listed() -> None:
    extra = definition(benchmark_parts=[], moved_object=payload(color="red"))
    ignored = [each for each in imported(extra).assumed if "ignored" in each]
    assert [each.split(":")[0] for each in ignored] == ["benchmark_parts", "payload.color"]


def test_fields_that_are_null_are_as_if_not_given() -> None:
    bare = definition(moved_object=payload(static_randomization=None), constraints=None)
    names = ("title", "level", "units", "obstacles", "constraints", "electronics", "hold_s", "script", "moving_parts")
    nulls = dict.fromkeys((*names, "fluids"))
    moved = {**bare["moved_object"], "static_randomization": None, "rotation_deg": None}
    assert imported({**bare, **nulls, "moved_object": moved}).file == imported(bare).file
    flat = {**without(bare, "objectives"), **bare["objectives"], "objectives": None}
    assert imported(flat).file == imported(bare).file
    assert imported({**bare, "bounds_m": None}).file == imported(bare).file, "the name of a null states no unit"
    for obstacles in ([None], {"wall": None}):
        assert imported({**bare, "obstacles": obstacles}).file == imported(bare).file
    with pytest.raises(BenchmarkError, match="goal_zone: this field is missing"):
        imported(definition(objectives=objectives(goal_zone=None)))


def test_section_of_another_kind_is_refused_in_plain_words() -> None:
    for obstacles, words in ((3, "obstacles: it must be a list"), ([3], "obstacles.0: it must have fields of its own")):
        with pytest.raises(BenchmarkError, match=words):
            imported(definition(obstacles=obstacles))


def without(fields: Fields, name: str) -> Fields:
    return {key: value for key, value in fields.items() if key != name}


GUARD = {"name": "guard", "min": [-20, -90, 0], "max": [5, -50, 60]}


@pytest.mark.parametrize(
    ("fields", "fault"),
    [
        (definition(simulation_bounds=None), "simulation_bounds: this field is missing"),
        (definition(moved_object=payload(start_position=None)), "start_position: this field is missing"),
        (definition(objectives=without(objectives(), "goal_zone")), "goal_zone: this field is missing"),
        (definition(objectives=objectives(goal_zone={"min": [60, 0, 0], "max": [200, 9, 9]})), "goal_zone: it must be"),
        (
            definition(objectives=objectives(forbid_zones=[{**GUARD, "max": [90, 90, 60]}])),
            "forbid zone guard: it overlaps goal_zone by 30 mm along x; move one of them",
        ),
        (definition(objectives=objectives(forbid_zones=[GUARD, GUARD])), "forbid_zones: 2 of them are called guard"),
        (definition(obstacles=[{**GUARD, "min": [-20, 50, 0], "max": [5, 90, 9]}]), "guard is also a label of obstac"),
        (definition(moved_object=payload(start_position=[-60, 0, 900])), "payload.start_position: the payload"),
        (
            definition(objectives=objectives(forbid_zones={"guard": 3})),
            "forbid_zones.0: it must have fields of its own",
        ),
        (definition(moved_object=payload(shape="torus")), "payload.shape: 'torus' is unknown"),
        (definition(moved_object=payload(shape="mesh", file="duck.stl")), "payload.shape: duck.stl cannot be read"),
        (definition(moved_object=payload(material_id="cheese")), "payload.material_id: 'cheese' is unknown"),
        (definition(units="furlong"), "units: 'furlong' is unknown"),
        (definition(units="m", goal_zone_mm=[0, 0, 0]), "units: the file mixes mm and m"),
        (definition(fluids=[{"fluid_id": "water"}]), "fluids: Millwright simulates rigid bodies only"),
        (definition(moving_parts=[{"part_name": "gate"}]), "moving_parts: their geometry is not in this file"),
        (definition(objectives=objectives(goal_zone={"min": [9, 9, 9], "max": [0, 20, 20]})), "x runs from 9 to 0"),
        (
            definition(units="m", moved_object=payload(runtime_jitter=0)),
            "bounds: the world is 300000 x 200000",
        ),
    ],
)
def test_definition_that_cannot_be_expressed_is_refused_with_field_and_remedy(fields: Fields, fault: str) -> None:
    with pytest.raises(BenchmarkError) as refused:
        imported(fields)
    assert any(fault in each for each in refused.value.faults), refused.value.faults


def test_every_fault_is_listed_at_once() -> None:
    faulty = definition(moved_object=payload(shape="torus", label="ball"), fluids=[1], objectives=objectives())
    with pytest.raises(BenchmarkError) as refused:
        imported(faulty)
    assert [each.split(":")[0] for each in refused.value.faults] == ["fluids", "payload.shape"]


def test_world_without_room_for_a_slab_is_lowered() -> None:
    flat = definition(simulation_bounds={"min": [-150, -100, 0], "max": [150, 100, 200]})
    assert imported(flat).file.bounds.min_mm == (-150, -100, -20)
    assert imported(flat, has_script=True).file.bounds.min_mm == (-150, -100, 0)


def test_imported_folder_is_loaded_as_the_same_benchmark(tmp_path: Path) -> None:
    found = imported(definition())
    folder = tmp_path / "new"
    text = file_text(found.file, "foreign.yaml", found.assumed)
    write_folder(folder, {FILE: text.encode(), CODE: slab_script(found.floor_mm).encode()})
    assert load(str(folder), 3).file == found.file
    assert all(f"# - {each}" in text for each in found.assumed)


def test_definition_that_contains_itself_is_refused() -> None:
    with pytest.raises(BenchmarkError, match="contains itself"):
        read_foreign(b"a: &a [*a]", "foreign.yaml", "foreign")
