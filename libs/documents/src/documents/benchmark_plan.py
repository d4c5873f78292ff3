"""plan.md for a generator of benchmarks: the world, what moves in it, what is drawn anew, and how it can be solved.

    # Plan

    ## Task

    (prose)

    ## World

    - wall: stands between start and goal, 200 mm high

    ## Motion and motors

    - gate: opens by a servo, once in 4 s

    ## Randomisation

    | quantity | from | to | unit |
    | --- | --- | --- | --- |
    | wall height | 150 | 250 | mm |

    ## Expected solution

    1. a channel leads round the wall

    ## Risks

    - the gate jams the ball: it opens 20 mm wider than the ball

A world in which nothing moves says so: `- nothing: the world stands still`.
"""

from decimal import Decimal
from typing import Self

from contracts.model import Model
from pydantic import Field, model_validator

from documents.problems import Problem, refuse
from documents.reader import require_layout, sections_of, titled
from documents.tables import (
    Risk,
    figure,
    pairs_of,
    risks_markdown,
    risks_of,
    rows_of,
    stages_markdown,
    stages_of,
    table_markdown,
)
from documents.text import CellText, OneLine, Prose, Subject

TITLE = "# Plan"
SECTIONS = ("Task", "World", "Motion and motors", "Randomisation", "Expected solution", "Risks")
HEADER = ("quantity", "from", "to", "unit")

_NAME = "plan.md"


class Thing(Model):
    """Something in the world, or something that moves there."""

    name: Subject
    what: OneLine


class Draw(Model):
    """A quantity that every seed draws anew, evenly between two bounds."""

    quantity: CellText
    lowest: Decimal = Field(max_digits=15, decimal_places=6)
    highest: Decimal = Field(max_digits=15, decimal_places=6)
    unit: CellText

    @model_validator(mode="after")
    def _goes_upwards(self) -> Self:
        if self.lowest > self.highest:
            raise ValueError("lowest must not be above highest")
        return self

    @property
    def cells(self) -> tuple[str, ...]:
        """As it stands in the table."""
        return (self.quantity, f"{self.lowest:f}", f"{self.highest:f}", self.unit)


class BenchmarkPlan(Model):
    """What a generator of benchmarks shall write."""

    task: Prose
    world: tuple[Thing, ...] = Field(min_length=1)
    moving: tuple[Thing, ...] = Field(min_length=1)
    draws: tuple[Draw, ...] = Field(min_length=1)
    expected: tuple[OneLine, ...] = Field(min_length=1)
    """How a machine can solve it, one stage after the other."""
    risks: tuple[Risk, ...] = Field(min_length=1)

    def markdown(self) -> str:
        """Write plan.md."""
        bodies = (
            self.task,
            _things_markdown(self.world),
            _things_markdown(self.moving),
            table_markdown(HEADER, [draw.cells for draw in self.draws]),
            stages_markdown(self.expected),
            risks_markdown(self.risks),
        )
        told = [f"## {title}\n\n{body}\n" for title, body in zip(SECTIONS, bodies, strict=True)]
        return "\n".join([f"{TITLE}\n", *told])


def read_benchmark_plan(text: str) -> BenchmarkPlan:
    """Return the plan; raise `DocumentError` with everything that is wrong."""
    problems: list[Problem] = []
    found = sections_of(titled(text, TITLE, problems), SECTIONS, problems)
    things = {
        title: tuple(Thing(name=name, what=what) for name, what in pairs_of(found[title], "- name: what", problems))
        for title in ("World", "Motion and motors")
        if title in found
    }
    rows = rows_of(found["Randomisation"], HEADER, problems) if "Randomisation" in found else []
    draws = tuple(draw for line, cells in rows if (draw := _draw(line.number, cells, problems)) is not None)
    stages = stages_of(found["Expected solution"].filled, problems) if "Expected solution" in found else ()
    risks = risks_of(found["Risks"], problems) if "Risks" in found else ()
    refuse(_NAME, problems)
    task, world, moving = found["Task"].prose, things["World"], things["Motion and motors"]
    plan = BenchmarkPlan(task=task, world=world, moving=moving, draws=draws, expected=stages, risks=risks)
    require_layout(_NAME, text, plan.markdown())
    return plan


def _draw(line: int, cells: list[str], problems: list[Problem]) -> Draw | None:
    quantity, lowest, highest, unit = cells
    low, high = figure(lowest), figure(highest)
    if not quantity or not unit:
        wrong = "a quantity needs a name and a unit", "write both; `-` is the unit of a bare number"
    elif low is None or high is None:
        wrong = f"the bounds are `{lowest}` and `{highest}`", "write plain numbers, such as 150 and 250"
    elif low > high:
        wrong = f"{lowest} is above {highest}", "write the smaller bound first"
    else:
        return Draw(quantity=quantity, lowest=low, highest=high, unit=unit)
    problems.append(Problem(line=line, reason=wrong[0], mend=wrong[1]))
    return None


def _things_markdown(things: tuple[Thing, ...]) -> str:
    return "\n".join(f"- {thing.name}: {thing.what}" for thing in things)
