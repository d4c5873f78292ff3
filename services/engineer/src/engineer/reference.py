"""What the engineer's system prompt states about the kernel and the verdict, read from the code that decides it."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from agent.rendering.prices import materials_markdown
from agent.rendering.signatures import calls_markdown, signatures_markdown
from agent.rendering.tables import percent
from contracts import cell_limits, criteria
from contracts.events.design import DesignValidated
from contracts.models.assessment import STABLE_FROM
from contracts.models.benchmark import Limits, Variant
from contracts.models.design import Method
from documents.shipped_skills import ALL_SKILLS
from kernel.baked import utils
from kernel.checker.rules import ALLOWED_MODULES, LIBRARIES, PROTECTED_NAMES
from parts_catalog.materials import MATERIALS
from parts_catalog.methods.registry import METHODS
from parts_catalog.motors import THERMAL_LIMIT_S
from parts_catalog.strength import cyclic_share, max_stress_mpa, thread_n
from pydantic import BaseModel

_HIDDEN_FIELDS = frozenset(
    {
        "environment_code",
        "description",
        "title",
        "benchmark",
        "seed",
        "level",
        "replica_jitter_mm",
        "draws",
        "redraws",
        "limits_factor",
        "more_payloads",
        "must_arrive",
        "power",
    }
)
"""Of no use to a design, or stated by the assignment: several payloads, and power that the machine has to pay."""
_HIDDEN_MEMBERS = frozenset(
    {
        "hull_mm",
        "start_velocity_mm_s",
        "restitution",
        "material_id",
        "size_text",
        "rounding_mm",
        "corners_mm",
    }
)
"""Figures of the payload that its table states, or that only the platform uses."""
PAGES = "skills/build123d/references"
_NAMED_MODULES = ("inspect", "io", "itertools", "json", "math", "re", "statistics", "time")
"""What designs use most."""
_OF_COURSE = frozenset({"build123d", "mpl_toolkits", "utils"})
"""Libraries that need not be listed."""
_TAUGHT_FUNCTIONS = ("bond_contacts", "catalog_part", "drive")
"""Functions of `utils` that the rules of the design show."""
_MOTOR_FUNCTIONS = ("Constant", "Positions")
_RARE_FUNCTIONS = ("glue", "screw", "Oscillation", "Steps", "bearing", "gears", "rack")
"""Of designs with a motor, and of few. Others act in cells."""
_NAMED_TRAPS = frozenset(
    {
        "A radius that does not fit",
        "Nothing in common",
        "Faces from lines need a closed outline",
        "A profile lies at the start of its path",
        "Hollow parts",
        "Builder mode gives the part at the end",
        "Normals of planes",
        "Everything is centred",
        "Two names, one object",
    }
)
"""Traps that end a cell with an error, or show in a picture: the prompt names them only."""
_CELL_FUNCTIONS = ("clearance", "price", "simulate", "sweep", "validate_and_price", "run_script")
"""Functions that only cells call; `refuse_plan` and `catalog` are explained where the prompt describes the work."""
_START_RESERVE_MM = 3.0
"""Beyond the jitter: replicas also turn the payload a little."""
_M3_MM = 3.0


def system_values(variant: Variant, methods: Sequence[Method]) -> Mapping[str, str]:
    """Return the values of the engineer's system templates that the code or the world decides.

    `methods`: those of the materials that are listed; none: all.
    """
    return {
        "materials": materials_markdown(methods),
        "other_methods": "" if not methods else ", ".join(each for each in METHODS if each not in methods),
        "benchmark_fields": world_fields(variant),
        "limits_fields": ", ".join(f"`limits.{name}`" for name in Limits.model_fields),
        "names": ", ".join(f"`{name}`" for name in sorted(PROTECTED_NAMES - set(utils.__all__))),
        "libraries": ", ".join(sorted(LIBRARIES - _OF_COURSE)),
        "modules": ", ".join(name for name in _NAMED_MODULES if name in ALLOWED_MODULES),
        "methods": ", ".join(f"`.{facts.constant}`" for facts in METHODS.values()),
        **_function_values(),
        "traps": traps_markdown(),
        "named_traps": "; ".join(heading for heading, _ in _traps() if heading in _NAMED_TRAPS),
        "pages": PAGES,
        **{name.lower(): f"{value:g}" for name, value in vars(cell_limits).items() if name.isupper()},
        **criteria_values(),
    }


def _function_values() -> Mapping[str, str]:
    return {
        "cell_functions": signatures_markdown(utils, _CELL_FUNCTIONS),
        "taught_functions": calls_markdown(utils, _TAUGHT_FUNCTIONS),
        "motor_functions": signatures_markdown(utils, _MOTOR_FUNCTIONS),
        "motor_names": calls_markdown(utils, _MOTOR_FUNCTIONS),
        "rare_functions": calls_markdown(utils, _RARE_FUNCTIONS),
        "rare_signatures": signatures_markdown(utils, _RARE_FUNCTIONS),
    }


def criteria_values() -> Mapping[str, str]:
    """Return the figures of the verdict and of the rules, by their names in lower case."""
    figures = {name.lower(): value for name, value in vars(criteria).items() if name.isupper()}
    friction = criteria.JITTER_FRICTION[1] - 1
    return {
        **{name: f"{value:g}" for name, value in figures.items() if isinstance(value, float)},
        "replicas": str(DesignValidated.model_fields["replicas"].default),
        "stable_from": percent(STABLE_FROM),
        "jitter_friction": percent(friction),
        "jitter_mass": percent(criteria.JITTER_MASS[1] - 1),
        "near_stall_share": percent(criteria.NEAR_STALL_SHARE),
        "flexible_share": percent(criteria.FLEXIBLE_SHARE),
        "pressed_ms": f"{1000 * criteria.PRESSED_S:g}",
        "cyclic_plastic": percent(cyclic_share(MATERIALS["pla"])),
        "start_clearance_mm": f"{criteria.JITTER_START_MM + criteria.START_RESERVE_MM:g}",
        "thermal_limit_s": f"{THERMAL_LIMIT_S:g}",
        "thermal_window_s": f"{criteria.WINDOW_SHARE * THERMAL_LIMIT_S:g}",
        "thread_n_per_mm": f"{thread_n(_M3_MM, 1.0, max_stress_mpa(MATERIALS['pla'], '3d_printing')):.0f}",
    }


def world_fields(variant: Variant) -> str:
    """List what `benchmark` has in this world: fields with a value, and the members of the models in them."""
    members: dict[str, list[str]] = {}
    for name in _shown_fields(variant):
        path, first = _path_of(name, getattr(variant, name))
        listed = ", ".join(_members(first)) if isinstance(first, BaseModel) else ""
        members.setdefault(listed, []).append(f"`{path}`")
    return "\n".join(f"- {', '.join(paths)}{f': {listed}' if listed else ''}" for listed, paths in members.items())


def _shown_fields(variant: Variant) -> Iterator[str]:
    """Yield the fields with a value; a limit that is not set or a zone that does not exist has none."""
    for name in Variant.model_fields:
        value = getattr(variant, name)
        if name not in _HIDDEN_FIELDS and value is not None and value != ():
            yield name


def _path_of(name: str, value: object) -> tuple[str, object]:
    """Return a field's path, of several things with the number of the last one, and its first value."""
    if not isinstance(value, tuple):
        return f"benchmark.{name}", value
    first, *others = cast("tuple[BaseModel, ...]", value)
    return f"benchmark.{name}[0]{f'` to `[{len(others)}]' if others else ''}", first


def _members(model: BaseModel) -> Iterator[str]:
    """Yield fields with a value, and properties; those of a box inside it by their paths."""
    own = type(model)
    for name in own.model_fields:
        value = getattr(model, name)
        if name in _HIDDEN_MEMBERS or value is None:
            continue
        inner = _members(value) if isinstance(value, BaseModel) else None
        yield from (f"`.{name}`",) if inner is None else (f"`.{name}{each.strip('`')}`" for each in inner)
    properties = (name for name, value in vars(own).items() if isinstance(value, property))
    yield from (f"`.{name}`" for name in properties if name not in _HIDDEN_MEMBERS)


def traps_markdown() -> str:
    """Return the traps of build123d that no error names, one line each: heading and prose of the skill's page."""
    return "\n".join(f"- {heading}: {prose}" for heading, prose in _traps() if heading not in _NAMED_TRAPS)


def _traps() -> Iterator[tuple[str, str]]:
    text = ALL_SKILLS["build123d"].files[f"{PAGES}/traps.md"].decode()
    for section in re.sub(r"```python\n.*?```\n", "", text, flags=re.DOTALL).split("\n## ")[1:]:
        heading, _, prose = section.partition("\n")
        yield heading, " ".join(prose.split())
