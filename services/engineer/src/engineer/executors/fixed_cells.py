"""Fixed cells behind tool calls: the model's arguments occur in them only as literals at the top."""

from typing import Literal

Argument = str | int | float | None
Shown = Literal["assembly", "environment", "both", "simulation"]

SUBMIT = """\
from script import assembly
from utils import submit_for_review

submit_for_review(assembly)
"""

SUBMIT_SCRIPT = """\
from utils import run_script, submit_for_review

run_script()
from script import assembly

submit_for_review(assembly)
"""

SIMULATE = """\
import json
from script import assembly
from utils import simulate

result = simulate(assembly)
_run = result.nominal
_seen = {
    "verdict": result.verdict,
    "ending": _run.ending,
    "time_s": round(_run.time_s, 2),
    "max_speed_m_s": round(_run.max_speed_m_s, 2),
}
if result.verdict != "solved":
    _seen |= {
        "touched": _run.touched,
        "culprit": _run.culprit,
        "final_mm": [round(value, 1) for value in _run.final_mm],
        "closest_goal_mm": round(_run.closest_goal_mm, 1),
    }
print("seen:", json.dumps(_seen))
"""

_PRICE_ALL = """\
from script import assembly
from utils import validate_and_price

_pricing = validate_and_price(assembly)
"""

_FIND = """\
from script import assembly

def _found(label, *places):
    labelled = {each.label: each for place in places for each in place.children}
    if label not in labelled:
        raise LookupError(f"nothing is labelled {label!r}; there are: {', '.join(labelled)}")
    return labelled[label]

"""

_PRICE_PART = """\
from utils import validate_and_price

_pricing = validate_and_price(_found(_label, assembly))
"""

_DISTANCE = """\
_one, _two = _found(_label, assembly, environment), _found(_other, assembly, environment)
print(f"{_label} to {_other}: {_one.distance_to(_two):.3f} mm")
"""

_PARTS = """\
from script import assembly

for _part in assembly.children:
    _box, _middle = _part.bounding_box(), _part.center()
    _sizes = [round(value, 2) for value in (*tuple(_box.min), *tuple(_box.max))]
    print(f"{_part.label}: box {_sizes[:3]} to {_sizes[3:]} mm, centre {[round(v, 2) for v in tuple(_middle)]} mm, "
          f"volume {_part.volume / 1000:.3f} cm3")
"""

_WORLD = """\
import json

def _corners(low, high):
    return [[round(value, 3) for value in low], [round(value, 3) for value in high]]

def _zone(box):
    return _corners(box.min_mm, box.max_mm)

_boxes = [solid.bounding_box() for solid in environment.solids()]
print("world:", json.dumps({
    "build": _zone(benchmark.build_zone),
    "goal": _zone(benchmark.goal_zone),
    "forbids": [_zone(each.box) for each in benchmark.forbid_zones if each.binds != "payload"],
    "payload_forbids": [_zone(each.box) for each in benchmark.forbid_zones if each.binds != "parts"],
    "solids": [_corners(tuple(box.min), tuple(box.max)) for box in _boxes],
    "shape": benchmark.payload.shape,
    "size_mm": max(benchmark.payload.extents_mm),
    "extents_mm": benchmark.payload.extents_mm,
    "start_mm": [round(value, 3) for value in benchmark.payload.start_mm],
    "friction": benchmark.payload.friction,
    "hold_s": benchmark.hold_s,
    "goal_rule": benchmark.goal_rule,
}, separators=(",", ":")))
"""

_LAST_RUN = """\
try:
    _run = result
except NameError:
    raise LookupError("nothing was simulated yet: call simulate first") from None
"""

_PAYLOAD = """\
for _step in range(25):
    _time_s = float(_run.time_s[-1]) * _step / 24
    _state = _run.at(_time_s)
    _places = [_state.payload_mm] + [_state.body_mm[each.label] for each in benchmark.payloads[1:]]
    _texts = [f"{[round(float(value), 1) for value in _place]} mm" for _place in _places]
    print(f"{_time_s:.2f} s: {', '.join(_texts)}")
"""

_SEARCH = """\
from utils import catalog

_finds = catalog.search(_words, limit=_limit)
"""

_SHOW_RUN = """\
show(_run[_from_s:_until_s], label="the last simulation")
"""

_SHOWN: dict[str, str] = {
    "assembly": 'from script import assembly\n\nshow(assembly, label="assembly")\n',
    "environment": 'show(environment, label="environment")\n',
    "both": 'from script import assembly\n\nshow([assembly, environment], label="assembly in its environment")\n',
}


def price_cell(label: str | None) -> str:
    """Return the cell that prices the assembly, or one of its parts."""
    return _PRICE_ALL if label is None else _arguments(_label=label) + _FIND + _PRICE_PART


def show_cell(what: Shown, from_s: float | None, until_s: float | None) -> str:
    """Return the cell that shows parts, the environment, or the last simulation."""
    if what == "simulation":
        return _arguments(_from_s=from_s, _until_s=until_s) + _LAST_RUN + _SHOW_RUN
    return _SHOWN[what]


def measure_cell(measure: Literal["world", "parts", "payload"]) -> str:
    """Return the cell that prints a measure without arguments."""
    match measure:
        case "world":
            return _WORLD
        case "parts":
            return _PARTS
        case "payload":
            return _LAST_RUN + _PAYLOAD


def distance_cell(label: str, other: str) -> str:
    """Return the cell that measures between two parts or solids."""
    return _arguments(_label=label, _other=other) + _FIND + _DISTANCE


def search_cell(words: str, limit: int) -> str:
    """Return the cell that searches the catalog."""
    return _arguments(_words=words, _limit=limit) + _SEARCH


def refuse_cell(proof: str) -> str:
    """Return the cell that refuses the plan."""
    return _arguments(proof=proof) + "from utils import refuse_plan\n\nrefuse_plan(proof)\n"


def _arguments(**values: Argument) -> str:
    """Return an assignment for each value: `repr` of plain texts and numbers is a literal and nothing else."""
    for name, value in values.items():
        if type(value) not in {str, int, float, type(None)}:
            raise TypeError(
                f"{name} is a {type(value).__name__}: only plain texts and numbers can be written into a cell"
            )
    return "".join(f"{name} = {value!r}\n" for name, value in values.items()) + "\n"
