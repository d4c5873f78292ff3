"""Replies of the expert engineer, for each executor: cells, tool calls, or a single script."""

import json
import re
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Protocol

from langchain_core.messages import AIMessage, BaseMessage

from offline_expert.engineer.facts import FACTS_CODE
from offline_expert.engineer.proof import proof_code, proof_text
from offline_expert.engineer.todo_items import TODO, TodoItems

SCRIPT = "script.py"
RESULT = ("<<<RESULT", "RESULT>>>")
MOTORS = ("<<<MOTORS", "MOTORS>>>")
PATH = ("<<<PATH", "PATH>>>")
"""Markers around the JSON that cells print. The cells' code splits them, so that its echo is not read as an answer."""
_EXECUTOR = re.compile(r"^Executor: (?P<name>[a-z_]+)$", re.MULTILINE)

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

_WATCH_CODE = """\
import json
from itertools import product
from math import dist
from build123d import Box, Compound, Pos
from utils import ManufacturingMethod, simulate

# A speck of plastic at the corner of the build zone that is farthest from the payload: a run needs some part.
zone, edge = benchmark.build_zone, 3.0
(x0, y0, z0), (x1, y1, _) = zone.min_mm, zone.max_mm
corners = product((x0 + edge, x1 - edge), (y0 + edge, y1 - edge), (z0 + edge,))
speck = Pos(*max(corners, key=lambda corner: dist(corner, benchmark.payload.start_mm))) * Box(edge, edge, edge)
speck.label = "speck"
speck.metadata = {"manufacturing_method": ManufacturingMethod.PRINTING_3D, "material_id": "pla"}
run = simulate(Compound(label="machine", children=[speck]))
path = [benchmark.payload.start_mm]
for at in run.path.payload_mm:
    if dist(path[-1], at) > 3 and len(path) < 200:
        path.append([round(float(value), 1) for value in at])
print("<<<" + "PATH", json.dumps({"path_mm": path}, separators=(",", ":")), "PATH" + ">>>")"""

_CHECK_CODE = """\
import json
from script import assembly
from utils import simulate, validate_and_price

{written}
pricing = validate_and_price(assembly)
if not pricing.is_makeable:
    raise AssertionError(pricing.problem)
{priced}
result = simulate(assembly)
seen = {{
    "verdict": result.verdict,
    "ending": result.nominal.ending,
    "touched": result.nominal.touched,
    "culprit": result.nominal.culprit,
    "time_s": round(result.nominal.time_s, 2),
    "final_mm": [round(value, 1) for value in result.nominal.final_mm],
    "closest_goal_mm": round(result.nominal.closest_goal_mm, 1),
    "max_speed_m_s": round(result.nominal.max_speed_m_s, 2),
    "success_rate": result.success_rate,
}}
print("<<<" + "RESULT", json.dumps(seen), "RESULT" + ">>>")
if result.verdict != "solved":
    culprit = f", {{result.nominal.culprit}} gave way" if result.nominal.culprit else ""
    raise AssertionError(
        f"{{result.nominal.ending}} at {{seen['final_mm']}} mm after {{seen['time_s']}} s, "
        f"{{seen['closest_goal_mm']}} mm from the goal at the closest{{culprit}}"
    )
{previewed}"""

_SUBMIT_CODE = """\
from script import assembly
from utils import submit_for_review

{settled}
journal.add(
    {intent!r},
    {result!r},
    {reflection!r},
    {next_step!r},
)
submit_for_review(assembly)"""


class Replies(Protocol):
    """Replies of every executor."""

    def write_script(self, text: str, thought: str, number: int) -> AIMessage:
        """Return the reply that writes script.py for the `number`-th attempt."""
        ...

    def refuse(self, reason: str, cells: Sequence[int]) -> AIMessage:
        """Return the reply that refuses the plan with a measured reason; `cells` show it."""
        ...


class CellReplies:
    """Replies of the `code` executor: cells, and a tool call for script.py.

    Each cell ticks off the TODO items that it has settled, after the line that settles them.
    """

    def __init__(self, items: TodoItems) -> None:
        self._items = items

    def ask_facts(self) -> AIMessage:
        """Return the cell that prints zones, payload and obstacles as JSON."""
        return _cell(
            "Read the exact numbers of benchmark and environment",
            "Before building anything I need the zones, the payload and the solids in its way.",
            "Route a channel from the start to the goal zone and write it as script.py.",
            f"{FACTS_CODE}\n{self._items.check('facts')}".rstrip(),
        )

    def search_motors(self, words: str) -> AIMessage:
        """Return the cell that searches the catalog and prints the motors found as JSON."""
        return _cell(
            "Search the catalog for a motor",
            "Gravity is not enough: the goal is above the payload, or on the floor on which it starts.",
            "Design the machine around the cheapest motor that is strong enough and has a position sensor.",
            _SEARCH_CODE.format(words=json.dumps(words)),
        )

    def watch_payload(self) -> AIMessage:
        """Return the cell that prints the payload's path without a machine as JSON."""
        return _cell(
            "Watch where the payload goes without a machine",
            "The payload starts where no channel can begin: on a solid, or outside the build zone.",
            "Begin the machine where the payload comes by, or push it if it stays.",
            _WATCH_CODE,
        )

    def write_script(self, text: str, thought: str, number: int) -> AIMessage:
        """Return the call that writes script.py; its id contains the number of the attempt."""
        return _write_file(text, thought, number)

    def check_design(self, number: int) -> AIMessage:
        """Return the cell that prices the design and simulates it once."""
        undo = self._items.check("price", "preview", "submission", call="uncheck") if number > 1 else ""
        code = _CHECK_CODE.format(
            written=undo + self._items.check("script"),
            priced=self._items.check("price"),
            previewed=self._items.check("preview"),
        )
        return _cell(
            f"Check design {number}: price, manufacturability and one simulated run",
            "script.py is written. I submit it only if it is makeable and the payload stays in the goal zone.",
            "Submit if the preview is solved; otherwise fix what it shows.",
            code,
        )

    def submit_design(self, preview: Mapping[str, object]) -> AIMessage:
        """Return the cell that submits the design."""
        purpose, next_goal = "Submit the design for review", "Fix whatever the checks, the replicas or the critic find."
        result = f"The preview ended as {preview.get('ending')} after {preview.get('time_s')} s"
        speed = f"at most {preview.get('max_speed_m_s')} m/s"
        margins = "walls and corners keep the measured margins against jitter."
        code = _SUBMIT_CODE.format(
            settled=self._items.check("submission") + self._items.drop_others(),
            intent=purpose,
            result=result,
            reflection=f"With {speed}, {margins}",
            next_step=next_goal,
        )
        return _cell(purpose, f"{result} with {speed}; {margins}", next_goal, code)

    def prove(self, reason: str, designs: Sequence[str]) -> AIMessage:
        """Return the cell that shows the figures behind a refusal, and fails with the reason."""
        return _cell(
            "Measure why no design meets the requirement",
            "A refusal needs evidence: I compute what the world offers and show how each design failed.",
            "Refuse the plan and cite this cell.",
            proof_code(reason, designs),
        )

    def refuse(self, reason: str, cells: Sequence[int]) -> AIMessage:
        """Return the cell that refuses the plan with a measured reason; `cells` show it."""
        proof = proof_text(reason, cells)
        code = f"from utils import refuse_plan\n\nrefuse_plan({proof!r})"
        return _cell("Refuse the plan", proof, "None: the planner decides.", code)


class ToolCallReplies:
    """Replies of the `tool_call` executor."""

    def __init__(self, items: TodoItems, *, is_list_written: bool) -> None:
        self._items = items
        self._is_list_written = is_list_written

    def ask_facts(self) -> AIMessage:
        """Return the call that prints zones, payload and obstacles as JSON."""
        thought = "Before building anything I need the zones, the payload and the solids in its way."
        return _call(thought, "query", measure="world")

    def write_script(self, text: str, thought: str, number: int) -> AIMessage:
        """Return the call that writes script.py; its id contains the number of the attempt."""
        return _write_file(text, thought, number)

    def check_design(self, number: int) -> AIMessage:
        """Return the call that simulates the design once."""
        return _call(f"script.py is written: is design {number} worth submitting?", "simulate", number=number)

    def submit_design(self, preview: Mapping[str, object]) -> AIMessage:
        """Return the call that settles the TODO list, and after it the one that submits the design."""
        thought = f"The preview ended as {preview.get('ending')} after {preview.get('time_s')} s."
        if self._items.texts and not self._is_list_written:
            return _call(thought, "write_file", path=TODO, text=self._items.settled_list())
        return _call(thought, "submit_for_review")

    def refuse(self, reason: str, cells: Sequence[int]) -> AIMessage:
        """Return the call that refuses the plan with a measured reason; `cells` show it."""
        return _call("None of my machines can do it.", "refuse_plan", proof=proof_text(reason, cells))


class SingleScriptReplies:
    """Replies of the `single_pass` executor."""

    def write_script(self, text: str, thought: str, number: int) -> AIMessage:
        """Return the reply with the script."""
        del number
        return AIMessage(f"## Reasoning\n\n{thought}\n\n## Script\n\n```python\n{text.rstrip()}\n```")

    def refuse(self, reason: str, cells: Sequence[int]) -> AIMessage:
        """Return a script that raises the reason why there is none."""
        del cells
        return self.write_script(f"raise NotImplementedError({reason!r})", f"I cannot give a script. {reason}", 1)


ExecutorReplies = CellReplies | ToolCallReplies | SingleScriptReplies


def executor_of(messages: Sequence[BaseMessage]) -> str:
    """Return the executor in the system prompt: `code`, `tool_call` or `single_pass`."""
    match = _EXECUTOR.search(messages[0].text)
    return match["name"] if match else "code"


def _write_file(text: str, thought: str, number: int) -> AIMessage:
    call = {"name": "write_file", "args": {"path": SCRIPT, "text": text}, "id": f"write-script-{number}"}
    return AIMessage(content=thought, tool_calls=[call])


def _cell(purpose: str, reasoning: str, next_goal: str, code: str) -> AIMessage:
    return AIMessage(
        f"## Purpose\n\n{purpose}\n\n## Reasoning\n\n{reasoning}\n\n## Next goal\n\n{next_goal}\n\n"
        f"## Code\n\n```python\n{code}\n```"
    )


def _call(thought: str, name: str, number: int = 0, **arguments: str) -> AIMessage:
    digest = sha256(f"{name} {sorted(arguments.items())} {thought} {number}".encode()).hexdigest()[:12]
    return AIMessage(content=thought, tool_calls=[{"name": name, "args": arguments, "id": f"{name}-{digest}"}])
