"""plan.md, from the planner to the engineer: idea, parts, motion and risks.

    # Plan

    ## Idea

    (prose)

    ## Parts

    | part | count | method | material | mass_g | price_usd |
    | --- | --- | --- | --- | --- | --- |
    | floor | 2 | 3d_printing | pla | 120 | 8.5 |
    | servo | 1 | catalog | mg996r | 55 | 9.95 |

    ## Motion

    Moved by: gravity, on a slope of 8 degrees

    1. the ball rolls to the corner

    ## Risks

    - the corner stops the ball: a bevel of 20 mm

Mass and price are those of one piece; `?` is one that was not estimated.
A bought part has the method `catalog` and its catalog id as material.
"""

from decimal import Decimal

from contracts.model import Model
from contracts.models.benchmark import Limits
from pydantic import Field

from documents.markdown import table
from documents.parser import (
    DocumentSection,
    OneLine,
    Problem,
    ProblemList,
    Prose,
    Subject,
    quoted,
    read_body,
    read_pairs,
    read_rows,
    read_sections,
    read_stages,
    require_layout,
)
from documents.parts_table import HEADER, PlannedPart, read_part

TITLE = "# Plan"
SECTIONS = ("Idea", "Parts", "Motion", "Risks")

_NAME = "plan.md"
_MOVED_BY = "Moved by: "


class Risk(Model):
    """Something that may go wrong, and the measure against it."""

    risk: Subject
    measure: OneLine


class Plan(Model):
    """The machine that an engineer builds."""

    idea: Prose
    parts: tuple[PlannedPart, ...] = Field(min_length=1)
    moved_by: OneLine
    """What moves the payload."""
    stages: tuple[OneLine, ...] = Field(min_length=1)
    """How the payload gets to its goal, stage by stage."""
    risks: tuple[Risk, ...] = Field(min_length=1)

    @property
    def part_count(self) -> int:
        """Number of all pieces."""
        return sum(part.count for part in self.parts)

    @property
    def mass_g(self) -> Decimal:
        """Mass of all pieces whose mass was estimated."""
        return sum((part.count * (part.mass_g or Decimal(0)) for part in self.parts), Decimal(0))

    @property
    def price_usd(self) -> Decimal:
        """Price of all pieces whose price was estimated."""
        return sum((part.count * (part.price_usd or Decimal(0)) for part in self.parts), Decimal(0))

    def markdown(self) -> str:
        """Return plan.md."""
        stages = "\n".join(f"{number}. {stage}" for number, stage in enumerate(self.stages, start=1))
        bodies = (
            self.idea,
            table(HEADER, [part.cells for part in self.parts]),
            f"{_MOVED_BY}{self.moved_by}\n\n{stages}",
            "\n".join(f"- {each.risk}: {each.measure}" for each in self.risks),
        )
        sections = [f"## {title}\n\n{body}\n" for title, body in zip(SECTIONS, bodies, strict=True)]
        return "\n".join([f"{TITLE}\n", *sections])


def read_plan(text: str) -> Plan:
    """Return the plan of a plan.md in its exact layout; raise `DocumentError` with all problems."""
    plan = parse_plan(text)
    require_layout(_NAME, text, plan.markdown())
    return plan


def parse_plan(text: str) -> Plan:
    """Return the plan of a draft, with any empty lines and table widths; raise `DocumentError` with all problems."""
    problems = ProblemList(_NAME)
    found = read_sections(read_body(text, TITLE, problems), SECTIONS, problems)
    parts = _read_parts(found["Parts"], problems) if "Parts" in found else ()
    moved_by, stages = _read_motion(found["Motion"], problems) if "Motion" in found else ("", ())
    risks = _read_risks(found["Risks"], problems) if "Risks" in found else ()
    problems.raise_any()
    return Plan(idea=found["Idea"].prose, parts=parts, moved_by=moved_by, stages=stages, risks=risks)


def check_budget(plan: Plan, limits: Limits) -> tuple[Problem, ...]:
    """Return the limits that the plan's own figures exceed; the line is that of `## Parts` in `plan.markdown()`."""
    line = plan.markdown().split("\n").index("## Parts") + 1
    mass_g = None if limits.max_mass_kg is None else Decimal(str(limits.max_mass_kg)) * 1000
    price_usd = None if limits.max_unit_price_usd is None else Decimal(str(limits.max_unit_price_usd))
    sums = (
        ("masses", plan.mass_g, mass_g, " g", "make parts smaller, thinner or of a lighter material"),
        ("prices", plan.price_usd, price_usd, " USD", "plan fewer, smaller or cheaper parts"),
        ("counts", Decimal(plan.part_count), limits.max_parts, " parts", "combine parts"),
    )
    return tuple(
        Problem(
            line=line,
            reason=f"the {figures} add up to {float(planned):.10g}{unit}, and the limit is {float(limit):.10g}{unit}",
            fix=fix,
        )
        for figures, planned, limit, unit, fix in sums
        if limit is not None and planned > limit
    )


def _read_parts(section: DocumentSection, problems: ProblemList) -> tuple[PlannedPart, ...]:
    rows = read_rows(section, HEADER, problems)
    parts = [part for line, cells in rows if (part := read_part(line.number, cells, problems)) is not None]
    names: set[str] = set()
    for line, (name, *_) in rows:
        if name in names:
            problems.add(line.number, f"the part {quoted(name)} has two rows", "count identical pieces in one row")
        names.add(name)
    return tuple(parts)


def _read_motion(section: DocumentSection, problems: ProblemList) -> tuple[str, tuple[str, ...]]:
    """Return what moves the payload, and the stages."""
    lines = section.filled
    if not lines:
        return "", ()
    first, *rest = lines
    moved_by = first.text.removeprefix(_MOVED_BY).strip() if first.text.startswith(_MOVED_BY) else ""
    if not moved_by:
        fix = f"begin with what moves the payload, on one line: `{_MOVED_BY}gravity, on a slope of 8 degrees`"
        problems.add(first.number, f"`## Motion` begins with {quoted(first.text)}", fix)
        rest = [line for line in lines if line.text[0].isdigit()]
    if not rest:
        fix = "list the stages beneath it: `1. the ball rolls to the corner`"
        problems.add(section.number, "`## Motion` has no stages", fix)
    return moved_by, read_stages(rest, problems)


def _read_risks(section: DocumentSection, problems: ProblemList) -> tuple[Risk, ...]:
    pairs = read_pairs(section, "- what may go wrong: what is done about it", problems)
    return tuple(Risk(risk=risk, measure=measure) for risk, measure in pairs)
