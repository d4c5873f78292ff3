"""Facts and tables of a run, as texts."""

from dataclasses import dataclass
from typing import Literal

from contracts.events.run import RunFailed, RunSucceeded
from contracts.models.design import BillOfMaterials
from contracts.models.simulation import SimulationResult
from documents.event_lines.event_line import spaced
from documents.event_lines.text import counted, limits_text
from viewer.data import ShownPart, load_text, motor_text, part_text

from run_report.record import ReportedRun

Tone = Literal["good", "bad", "note"]


@dataclass(frozen=True)
class RunVerdict:
    """How a run ended, in a word, with its reason."""

    word: str
    tone: Tone
    detail: str = ""


@dataclass(frozen=True)
class PartRow:
    """One part of the machine, made or bought."""

    label: str
    is_selectable: bool
    """Whether the viewer has a part of this label."""
    made_by: str
    material: str
    count: int
    mass_g: float
    price_usd: float
    load_ratio: float | None
    notes: str = ""


@dataclass(frozen=True)
class LoadRow:
    """The load of one part, connection, joint or motor."""

    label: str
    what: str
    text: str
    ratio: float | None


def verdict_of(record: ReportedRun) -> RunVerdict:
    """Return the verdict of physics and critic, never that of a model's text."""
    match record.end:
        case RunSucceeded():
            is_proven = record.end.result.is_proven
            return RunVerdict("solved", "good") if is_proven else RunVerdict("not proven", "bad")
        case RunFailed():
            return RunVerdict("failed", "bad", f"{spaced(record.end.reason)}: {record.end.detail}")
        case None:
            return RunVerdict("in work", "note")


def facts_of(record: ReportedRun) -> list[tuple[str, str]]:
    """Return name and value of what the run found."""
    bill, result = record.bill, record.result
    facts: list[tuple[str, str]] = []
    if bill is not None:
        facts += [
            ("price", f"{bill.unit_price_usd:.2f} USD"),
            ("mass", f"{bill.mass_kg:.3f} kg"),
            ("parts", str(bill.part_count)),
        ]
    facts += [] if result is None else _proof(result)
    if record.assessment is not None:
        facts.append(("reruns", str(record.assessment)))
    return facts


def _proof(result: SimulationResult) -> list[tuple[str, str]]:
    reached = sum(replica.ending == "reached_goal" for replica in result.replicas)
    ending = f"{spaced(result.nominal.ending)} after {result.nominal.time_s:.2f} s"
    replicas = [("replicas", f"{reached} of {len(result.replicas)} reached the goal")] if result.replicas else []
    return [("simulation", ending), *replicas]


def request_facts(record: ReportedRun) -> list[tuple[str, str]]:
    """Return name and value of what was asked of the run, and what it took."""
    request, variant = record.request, record.request.assignment.variant
    tokens_in, tokens_out = record.tokens
    cost = "" if record.cost_usd is None else f"; {record.cost_usd:.2f} USD"
    return [
        ("benchmark", f"{variant.benchmark}, seed {variant.seed}, level {variant.level}"),
        ("requested", f"{limits_text(request.assignment.limits)}; {counted(request.assignment.quantity, 'piece')}"),
        ("model", request.model + ("" if request.executor == "code" else f", {request.executor}")),
        ("effort", f"{record.duration_s:.0f} s; {tokens_in} → {tokens_out} tokens{cost}"),
        ("started", f"{request.occurred_at:%Y-%m-%d %H:%M} UTC"),
        ("run", str(request.run_id)),
    ]


def part_rows(bill: BillOfMaterials | None, shown: tuple[ShownPart, ...]) -> list[PartRow]:
    """Return every line of the bill; without one, the parts of the scene."""
    parts = {part.label: part for part in shown}
    if bill is None:
        return [PartRow(each.label, True, "", "", 1, each.mass_g or 0.0, 0.0, each.load_ratio) for each in shown]
    made = [
        PartRow(
            line.label,
            line.label in parts,
            spaced(line.method),
            line.material_id,
            1,
            line.mass_kg * 1000,
            line.unit_price_usd,
            parts[line.label].load_ratio if line.label in parts else None,
            "; ".join(
                [
                    *([f"1 of {len(alike)} equal ones"] if len(alike) > 1 else []),
                    *(() if line.breakdown is None else line.breakdown.notes),
                ]
            ),
        )
        for alike in bill.kinds
        for line in alike
    ]
    bought = [
        PartRow(line.what, False, "bought", line.catalog_id, line.count, line.mass_kg * 1000, line.unit_price_usd, None)
        for line in bill.hardware
    ]
    return [*made, *bought]


def load_rows(result: SimulationResult | None) -> list[LoadRow]:
    """Return all loads, the greatest share of a limit first."""
    if result is None:
        return []
    rows = [LoadRow(each.label, "part", part_text(each), each.load_ratio) for each in result.parts]
    rows += [LoadRow(each.label, "connection or joint", load_text(each), each.load_ratio) for each in result.loads]
    rows += [
        LoadRow(each.label, "motor", motor_text(each), each.peak_torque_n_m / each.stall_torque_n_m)
        for each in result.motors
    ]
    return sorted(rows, key=lambda row: -(row.ratio or 0.0))
