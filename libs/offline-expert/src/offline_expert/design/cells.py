"""The replies of the expert engineer: four cells and one file."""

import json
from collections.abc import Mapping

from langchain_core.messages import AIMessage

SCRIPT = "script.py"
FACTS = ("<<<FACTS", "FACTS>>>")
RESULT = ("<<<RESULT", "RESULT>>>")
MOTORS = ("<<<MOTORS", "MOTORS>>>")
"""Markers round the JSON that cells print. Cells never hold them as they are printed, so an echo is no answer."""
_PROOF_CHARS = 1500

_FACTS_CODE = """\
import json

def corners(low, high):
    return [[round(value, 3) for value in low], [round(value, 3) for value in high]]

def zone(box):
    return corners(box.min_mm, box.max_mm)

boxes = [solid.bounding_box() for solid in environment.solids()]
facts = {
    "build": zone(benchmark.build_zone),
    "goal": zone(benchmark.goal_zone),
    "forbids": [zone(each.box) for each in benchmark.forbid_zones],
    "solids": [corners(tuple(box.min), tuple(box.max)) for box in boxes],
    "shape": benchmark.payload.shape,
    "size_mm": benchmark.payload.size_mm,
    "start_mm": [round(value, 3) for value in benchmark.payload.start_mm],
}
print("<<<" + "FACTS", json.dumps(facts, separators=(",", ":")), "FACTS" + ">>>")"""

_SEARCH_CODE = """\
import json
from utils import catalog

motors = []
for find in catalog.search({words}, limit=20, quantity=quantity):
    motor = catalog.part(find.id)
    if motor.motor is None:
        continue
    motors.append({{
        "id": find.id,
        "size_mm": [round(edge, 2) for edge in tuple(motor.bounding_box().size)],
        "control": motor.motor.control,
        "continuous_torque_n_m": motor.motor.continuous_torque_n_m,
        "no_load_speed_rad_s": motor.motor.no_load_speed_rad_s,
        "mass_g": round(1000 * motor.mass_kg, 2),
        "unit_price_usd": find.unit_price_usd,
    }})
print("<<<" + "MOTORS", json.dumps({{"motors": motors}}, separators=(",", ":")), "MOTORS" + ">>>")"""

_CHECK_CODE = """\
import json
from script import assembly
from utils import simulate, validate_and_price

validate_and_price(assembly)
result = simulate(assembly)
seen = {
    "verdict": result.verdict,
    "ending": result.nominal.ending,
    "touched": result.nominal.touched,
    "culprit": result.nominal.culprit,
    "time_s": round(result.nominal.time_s, 2),
    "final_mm": [round(value, 1) for value in result.nominal.final_mm],
    "closest_goal_mm": round(result.nominal.closest_goal_mm, 1),
    "max_speed_m_s": round(result.nominal.max_speed_m_s, 2),
    "success_rate": result.success_rate,
}
print("<<<" + "RESULT", json.dumps(seen), "RESULT" + ">>>")"""

_SUBMIT_CODE = """\
from script import assembly
from utils import submit_for_review

submit_for_review(assembly)"""


def ask_facts() -> AIMessage:
    """Return the cell that prints zones, payload and obstacles as JSON."""
    return _cell(
        "Read the benchmark and the environment as exact numbers",
        "Before anything is built I need the zones, the payload and the solids that stand in the way.",
        "Route a channel from the start into the goal zone and write it down as script.py.",
        _FACTS_CODE,
    )


def search_motors(words: str) -> AIMessage:
    """Return the cell that searches the catalog in words, and prints what it finds as JSON."""
    return _cell(
        "Search the catalog for a motor",
        "Gravity cannot do it: the goal lies above the payload, or on the floor that it stands on.",
        "Lay out the machine round the cheapest motor that is strong enough and knows where it is.",
        _SEARCH_CODE.format(words=json.dumps(words)),
    )


def write_script(text: str, thought: str, number: int) -> AIMessage:
    """Return the call that writes script.py; the number of the attempt makes its id."""
    call = {"name": "write_file", "args": {"path": SCRIPT, "text": text}, "id": f"write-script-{number}"}
    return AIMessage(content=thought, tool_calls=[call])


def check_design(number: int) -> AIMessage:
    """Return the cell that prices the design and simulates it once."""
    return _cell(
        f"Check design {number}: price, manufacturability and one simulated run",
        "script.py stands. It is worth submitting only if it is makeable and the payload stays in the goal zone.",
        "Submit if the preview is solved; else mend what it shows.",
        _CHECK_CODE,
    )


def submit_design(seen: Mapping[str, object]) -> AIMessage:
    """Return the cell that hands the design in."""
    return _cell(
        "Submit the design for review",
        f"The preview ended as {seen.get('ending')} after {seen.get('time_s')} s with at most "
        f"{seen.get('max_speed_m_s')} m/s; walls and corners keep the measured margins against jitter.",
        "Take up what the checks, the replicas or the critic find.",
        _SUBMIT_CODE,
    )


def refuse(reason: str) -> AIMessage:
    """Return the cell that gives the plan up, with what was measured."""
    proof = proof_of(reason)
    return _cell(
        "Refuse the plan",
        proof,
        "Nothing more: the planner decides.",
        f"from utils import refuse_plan\n\nrefuse_plan({proof!r})",
    )


def proof_of(reason: str) -> str:
    """Return the proof, with what it rests on."""
    return f"{reason[:_PROOF_CHARS]}\n\nThe benchmark's figures, from which this follows, were read in [cell 1]."


def _cell(purpose: str, reasoning: str, next_goal: str, code: str) -> AIMessage:
    return AIMessage(
        f"## Purpose\n\n{purpose}\n\n## Reasoning\n\n{reasoning}\n\n## Next goal\n\n{next_goal}\n\n"
        f"## Code\n\n```python\n{code}\n```"
    )
