"""A foreign definition, whole and in parts."""

from typing import Any

import yaml

Fields = dict[str, Any]


def definition(**changes: Any) -> Fields:
    """Return the fields of a sound definition in millimetres; a change to None removes its field."""
    fields: Fields = {
        "objectives": {
            "goal_zone": {"min": [60, -30, 0], "max": [120, 30, 50]},
            "build_zone": {"min": [-140, -90, 0], "max": [140, 90, 190]},
            "forbid_zones": [{"name": "guard", "min": [-20, -90, 0], "max": [5, -50, 60]}],
        },
        "simulation_bounds": {"min": [-150, -100, -10], "max": [150, 100, 200]},
        "moved_object": {
            "label": "projectile_ball",
            "shape": "sphere",
            "material_id": "aluminum_6061",
            "static_randomization": {"radius": [12, 18]},
            "start_position": [-60, 0, 120],
            "runtime_jitter": [4, 4, 2],
        },
        "constraints": {"max_unit_cost": 80, "max_weight_g": 900},
    }
    return {name: value for name, value in {**fields, **changes}.items() if value is not None}


def payload(**changes: Any) -> Fields:
    """Return the payload of the sound definition with changes; None removes a field."""
    changed = {**definition()["moved_object"], **changes}
    return {name: value for name, value in changed.items() if value is not None}


def objectives(**changes: Any) -> Fields:
    """Return the zones of the sound definition with changes."""
    return {**definition()["objectives"], **changes}


def in_metres(value: Any) -> Any:
    """Return the same with all numbers of boxes, places and measures in metres."""
    if isinstance(value, dict):
        return {name: in_metres(each) for name, each in value.items()}  # pyright: ignore[reportUnknownVariableType]
    if isinstance(value, list):
        return [in_metres(each) for each in value]  # pyright: ignore[reportUnknownVariableType]
    return value / 1000 if isinstance(value, int | float) else value


def text_of(fields: Fields) -> bytes:
    """Return a definition as YAML."""
    return yaml.safe_dump(fields).encode()
