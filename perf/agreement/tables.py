"""The results of a campaign in Markdown."""

from collections.abc import Iterable, Sequence
from statistics import median

from perf.agreement.opinions import NUMERICS, USUAL, Opinion, Record
from tests.support.measurements import percentile, table

HEAD = ("machine", *(f"{name}: verdict, rate %, s, use" for name in NUMERICS), "ccx: displacement, energy, stress")
OTHERS = tuple(name for name in NUMERICS if name != USUAL)


def heading() -> str:
    """Return the first two lines of the table of machines."""
    return table(HEAD, [])


def row(record: Record) -> str:
    """Return a machine's line."""
    verdicts = [_cell(record.opinions[name]) for name in NUMERICS]
    return f"| {' | '.join((record.label, *verdicts, _solid(record)))} |"


def _cell(opinion: Opinion) -> str:
    word = "accepted" if opinion.is_accepted else opinion.rules[0]
    return f"{word}, {100 * opinion.success_rate:.0f}, {opinion.time_s:.3f}, {opinion.peak_use:.3f}"


def _solid(record: Record) -> str:
    if record.solid is None:
        return ""
    found = record.solid.agreement
    return f"{found.displacement:.1e}, {found.energy:.1e}, {found.peak_stress:.1e}"


def summary(records: Sequence[Record]) -> str:
    """Return what came of all machines."""
    pieces = [
        f"{len(records)} machines ({_sources(records)}), {sum(each.is_turned for each in records)} verdicts turned, "
        f"{sum(_is_otherwise(each) for each in records)} refused for another reason.",
        "## Turned verdicts and other reasons",
        *([_turned(records)] if any(each.is_turned or _is_otherwise(each) for each in records) else ["None."]),
        "## Differences from the usual",
        "Of machines with the same verdict in both; time and use of the run without jitter.",
        _differences(records),
        "## CalculiX",
        _calculix(records),
    ]
    return "\n\n".join(pieces)


def _sources(records: Sequence[Record]) -> str:
    names = [record.label.partition(":")[0] for record in records]
    return ", ".join(f"{names.count(name)} {name}" for name in dict.fromkeys(names))


def _is_otherwise(record: Record) -> bool:
    """Tell whether all refuse it, not all for the same first reason."""
    return not record.is_turned and len({each.rules[:1] for each in record.opinions.values()}) > 1


def _turned(records: Sequence[Record]) -> str:
    lines = [record for record in records if record.is_turned] + [each for each in records if _is_otherwise(each)]
    rows = [(record.label, *(_why(record.opinions[name]) for name in NUMERICS)) for record in lines]
    return table(("machine", *NUMERICS), rows)


def _why(opinion: Opinion) -> str:
    reason = "; ".join([", ".join(opinion.rules), opinion.cause]) if opinion.rules else "accepted"
    return f"{100 * opinion.success_rate:.0f} %, use {opinion.peak_use:.2f} of {opinion.peak_of}: {reason}"


def _differences(records: Sequence[Record]) -> str:
    rows: list[tuple[str, ...]] = []
    for name in OTHERS:
        pairs = [(each.opinions[USUAL], each.opinions[name]) for each in records]
        same = [(usual, other) for usual, other in pairs if usual.rules[:1] == other.rules[:1]]
        late = [abs(other.time_s - usual.time_s) for usual, other in same if usual.is_accepted]
        used = [
            abs(other.peak_use / usual.peak_use - 1) for usual, other in same if usual.is_accepted and usual.peak_use
        ]
        rates = [abs(other.success_rate - usual.success_rate) for usual, other in same]
        rows.append(
            (name, str(len(same)), *_spread(late, "s"), *_spread(used, "%"), f"{100 * max(rates, default=0):.0f}")
        )
    head = ("setting", "machines", "time: median", "95th", "most", "use: median", "95th", "most", "rate, points: most")
    return table(head, rows)


def _spread(values: Sequence[float], unit: str) -> tuple[str, str, str]:
    if not values:
        return "", "", ""
    figures = (median(values), percentile(values, 95), max(values))
    first, second, third = (f"{each:.3f} s" if unit == "s" else f"{100 * each:.1f} %" for each in figures)
    return first, second, third


def _calculix(records: Iterable[Record]) -> str:
    found = [(each.label, each.solid) for each in records if each.solid is not None]
    if not found:
        return "No part went to finite elements, or `ccx` is not installed (`apt install calculix-ccx`)."
    rows: list[tuple[str, ...]] = []
    for name in ("displacement", "energy", "peak_stress", "stress"):
        worst, solid = max(found, key=lambda pair: float(getattr(pair[1].agreement, name)))
        values = [float(getattr(each.agreement, name)) for _, each in found]
        rows.append((name.replace("_", " "), f"{median(values):.1e}", f"{max(values):.1e}", f"{worst}, {solid.part}"))
    elements = sum(each.agreement.elements for _, each in found)
    return f"{len(found)} parts, {elements} elements in all.\n\n" + table(("of", "median", "most", "where"), rows)
