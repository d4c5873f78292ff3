"""plan.md for an engineer: what the machine is, of what it is made, how it moves, and what may go wrong.

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

Mass and price are those of one piece; what is bought has `catalog` as its method and its catalog id as its material.
"""

from decimal import Decimal

from contracts.model import Model
from contracts.models.benchmark import Limits
from pydantic import Field

from documents.part_rows import HEADER, PlannedPart, part_in, parts_markdown
from documents.problems import Problem, refuse, shown
from documents.reader import Section, require_layout, sections_of, titled
from documents.tables import Risk, risks_markdown, risks_of, rows_of, stages_markdown, stages_of
from documents.text import OneLine, Prose

TITLE = "# Plan"
SECTIONS = ("Idea", "Parts", "Motion", "Risks")

_NAME = "plan.md"
_MOVED_BY = "Moved by: "


class Plan(Model):
    """What an engineer shall build."""

    idea: Prose
    parts: tuple[PlannedPart, ...] = Field(min_length=1)
    moved_by: OneLine
    """What moves the payload."""
    stages: tuple[OneLine, ...] = Field(min_length=1)
    """How it gets to its goal, one stage after the other."""
    risks: tuple[Risk, ...] = Field(min_length=1)

    @property
    def part_count(self) -> int:
        """How many pieces it has in all."""
        return sum(part.count for part in self.parts)

    @property
    def mass_g(self) -> Decimal:
        """What all pieces weigh together."""
        return sum((part.count * part.mass_g for part in self.parts), Decimal(0))

    @property
    def price_usd(self) -> Decimal:
        """What all pieces cost together."""
        return sum((part.count * part.price_usd for part in self.parts), Decimal(0))

    def markdown(self) -> str:
        """Write plan.md."""
        bodies = (
            self.idea,
            parts_markdown(self.parts),
            f"{_MOVED_BY}{self.moved_by}\n\n{stages_markdown(self.stages)}",
            risks_markdown(self.risks),
        )
        told = [f"## {title}\n\n{body}\n" for title, body in zip(SECTIONS, bodies, strict=True)]
        return "\n".join([f"{TITLE}\n", *told])


def read_plan(text: str) -> Plan:
    """Return the plan; raise `DocumentError` with everything that is wrong."""
    plan = plan_from(text)
    require_layout(_NAME, text, plan.markdown())
    return plan


def plan_from(text: str) -> Plan:
    """Return the plan, whatever its empty lines and the widths of its table; raise `DocumentError`."""
    problems: list[Problem] = []
    found = sections_of(titled(text, TITLE, problems), SECTIONS, problems)
    parts = _parts(found["Parts"], problems) if "Parts" in found else ()
    moved_by, stages = _motion(found["Motion"], problems) if "Motion" in found else ("", ())
    risks = risks_of(found["Risks"], problems) if "Risks" in found else ()
    refuse(_NAME, problems)
    return Plan(idea=found["Idea"].prose, parts=parts, moved_by=moved_by, stages=stages, risks=risks)


def check_budget(plan: Plan, limits: Limits) -> tuple[Problem, ...]:
    """Return which limits the plan's own figures break; the line is that of `## Parts` as `markdown` writes it."""
    line = plan.markdown().split("\n").index("## Parts") + 1
    mass_kg = None if limits.max_mass_kg is None else Decimal(str(limits.max_mass_kg)) * 1000
    price_usd = None if limits.max_unit_price_usd is None else Decimal(str(limits.max_unit_price_usd))
    sums = (
        ("masses add up to", plan.mass_g, mass_kg, " g", "make parts smaller, thinner or of something lighter"),
        ("prices add up to", plan.price_usd, price_usd, " USD", "plan fewer, smaller or cheaper parts"),
        ("counts add up to", Decimal(plan.part_count), limits.max_parts, " parts", "join parts to fewer"),
    )
    return tuple(
        Problem(
            line=line,
            reason=f"the {what} {float(planned):.10g}{unit}, and {float(most):.10g}{unit} are the most",
            mend=mend,
        )
        for what, planned, most, unit, mend in sums
        if most is not None and planned > most
    )


def _parts(section: Section, problems: list[Problem]) -> tuple[PlannedPart, ...]:
    rows = rows_of(section, HEADER, problems)
    parts = [part for line, cells in rows if (part := part_in(line.number, cells, problems)) is not None]
    for place, (line, cells) in enumerate(rows):
        if cells[0] in (before[0] for _, before in rows[:place]):
            reason = f"the part {shown(cells[0])} stands in two rows"
            problems.append(Problem(line=line.number, reason=reason, mend="count pieces that are alike in one row"))
    return tuple(parts)


def _motion(section: Section, problems: list[Problem]) -> tuple[str, tuple[str, ...]]:
    """Return what moves the payload, and the stages."""
    lines = section.filled
    moved_by = lines[0].text.removeprefix(_MOVED_BY).strip() if lines and lines[0].text.startswith(_MOVED_BY) else ""
    if not lines:
        return "", ()
    if not moved_by:
        reason = f"`## Motion` begins with {shown(lines[0].text)}"
        mend = f"say first what moves the payload, on one line: `{_MOVED_BY}gravity, on a slope of 8 degrees`"
        problems.append(Problem(line=lines[0].number, reason=reason, mend=mend))
    rest = lines[1:] if moved_by else [line for line in lines if line.text[0].isdigit()]
    if not rest:
        mend = "list what happens beneath it: `1. the ball rolls to the corner`"
        problems.append(Problem(line=section.number, reason="`## Motion` has no stages", mend=mend))
    return moved_by, stages_of(rest, problems)
