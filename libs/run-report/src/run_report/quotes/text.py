"""Quotes as text: a table of all files, and each part with its ways and findings."""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import PurePath
from textwrap import shorten

from contracts.models.design import Method
from contracts.quotes import FileQuote, FindingGroup, QuotedPart, QuoteReport, Verdict, Way
from contracts.text import counted
from parts_catalog.methods.registry import METHODS

MARKS: dict[str, str] = {"makeable": "✓", "not_makeable": "✗", "unusable": "✗", "not_judged": "·"}
SEVERITY_MARKS = {"error": "✗", "warning": "!", "info": "·"}
MOST_FILES_IN_DETAIL = 5
"""More files are a table only."""
TEXT_CHARS = 120
"""Of a text in the table of files."""
VERDICT_NAMES: dict[Verdict, str] = {
    "makeable": "can be made",
    "not_makeable": "cannot be made",
    "unusable": "cannot be quoted",
}
ESTIMATES = "Prices are estimates in USD; a workshop may quote half or twice as much."


def report_text(report: QuoteReport) -> str:
    """Return the whole report as text."""
    blocks = [file_text(file, report.choice.quantities) for file in report.files]
    if len(report.files) > MOST_FILES_IN_DETAIL:
        blocks = [table_text(report)]
    elif len(report.files) > 1:
        blocks.append(table_text(report))
    if any(file.parts for file in report.files):
        blocks.append(ESTIMATES)
    return "\n\n".join(blocks) + "\n"


def file_text(file: FileQuote, quantities: Sequence[int]) -> str:
    """Return the answer about one file."""
    if not file.parts:
        return f"{MARKS[file.verdict]} {file.file} {file.problem}"
    pieces = sum(part.count for part in file.parts)
    head = f"{cheapest_text(file)}\n{file.file}: {counted(len(file.parts), 'part')}"
    head += f", {counted(pieces, 'piece')}" if pieces > len(file.parts) else ""
    blocks = ["\n".join([head, *(f"  note: {note}" for note in file.notes)])]
    blocks += ["\n".join(_part_lines(part, quantities)) for part in file.parts]
    if pieces > 1:
        blocks.append("\n".join(_sum_lines(file)))
    return "\n\n".join(blocks)


def cheapest_text(file: FileQuote) -> str:
    """Return the first line about a file: for each part the cheapest way and its price, at each quantity."""
    texts: list[str] = []
    for part in dict.fromkeys(each.part for each in file.cheapest):
        ways = [each for each in file.cheapest if each.part == part]
        prices: list[str] = []
        for number, way in enumerate(ways):
            before = ways[number - 1] if number else None
            is_new = before is None or (before.method, before.material_id) != (way.method, way.material_id)
            name = f"{method_name(way.method)} of {way.material_id}, " if is_new else ""
            prices.append(f"{name}{way.unit_price_usd:.2f} USD at {way.quantity}")
        texts.append((f"{part}: " if len(file.parts) > 1 else "") + ", ".join(prices))
    return "Cheapest way: " + ("; ".join(texts) or "none")


def table_text(report: QuoteReport) -> str:
    """Return a line for each part of all files, with its cheapest way."""
    quantities = report.choice.quantities
    rows = [
        ["", "file", "part", "count", "cheapest way", *(f"USD at {each}" for each in quantities), "first to change"]
    ]
    names = short_names(report)
    for file in report.files:
        name = names[file.file]
        if not file.parts:
            rows.append(
                [
                    MARKS[file.verdict],
                    name,
                    "",
                    "",
                    *([""] * (len(quantities) + 1)),
                    shorten(file.problem, TEXT_CHARS, placeholder=" …"),
                ]
            )
        rows += [_table_row(name, part, quantities) for part in file.parts]
    counts = Counter(file.verdict for file in report.files)
    summary = ", ".join(f"{counts[verdict]} {name}" for verdict, name in VERDICT_NAMES.items() if counts[verdict])
    return "\n".join(
        [*aligned(rows, {3, *range(5, 5 + len(quantities))}), f"{counted(len(report.files), 'file')}: {summary}"]
    )


def short_names(report: QuoteReport) -> dict[str, str]:
    """Return the name of each file without its folders, where that is unique."""
    counts = Counter(PurePath(file.file).name for file in report.files)
    return {
        file.file: PurePath(file.file).name if counts[PurePath(file.file).name] == 1 else file.file
        for file in report.files
    }


def progress_text(done: int, files: int, file: FileQuote, quantity: int) -> str:
    """Return one line about a file that was answered."""
    position = f"[{done:>{len(str(files))}}/{files}]"
    if not file.parts or file.verdict == "unusable":
        return f"{position} {MARKS[file.verdict]} {file.file} {file.problem}"
    price = next((each for each in file.sums if each.quantity == quantity), None)
    costs = "" if price is None or file.verdict != "makeable" else f", {price.unit_price_usd:.2f} USD"
    return f"{position} {MARKS[file.verdict]} {file.file}: {VERDICT_NAMES[file.verdict]}{costs}, {file.seconds:.1f} s"


def method_name(method: Method) -> str:
    """Return `3D printing`."""
    return METHODS[method].name


def way_name(way: Way) -> str:
    """Return `3D printing of pla`."""
    method = method_name(way.method)
    return f"{method} of {way.material_id}" if way.material_id else method


def first_change(part: QuotedPart) -> str:
    """Return what to change first: the worst error of the way that comes nearest, or the worst warning of the best."""
    if part.problem:
        return part.problem
    judged = [way for way in part.ways if way.verdict != "not_judged"]
    wanted = "error" if part.verdict == "not_makeable" else "warning"
    nearest = min(judged, key=lambda way: sum(each.severity == wanted for each in way.findings), default=None)
    if nearest is None:
        return "no way that was asked for can be judged"
    if part.verdict == "makeable":
        nearest = judged[0]
    group = next((each for each in nearest.findings if each.severity == wanted), None)
    return "" if group is None else group.worst.detail


def _part_lines(part: QuotedPart, quantities: Sequence[int]) -> Iterator[str]:
    head = f"{MARKS[part.verdict]} {part.name}"
    head += f", {counted(part.count, 'piece')}" if part.count > 1 else ""
    if part.problem:
        yield f"{head} {part.problem}"
        return
    size = "" if part.size_mm is None else ", " + " x ".join(f"{edge:.1f}" for edge in part.size_mm) + " mm"
    yield f"{head}: {part.volume_mm3 / 1000:.2f} cm3{size}"
    rows = [["", "way", "g", *(f"USD at {each}" for each in quantities)]]
    rows += [_way_row(way, quantities) for way in part.ways]
    yield from (f"  {line}" for line in aligned(rows, set(range(2, 3 + len(quantities)))))
    for way in part.ways:
        if way.findings or way.reason:
            yield f"  {way_name(way)}: {way.reason or _summary(way)}"
        yield from (f"    {_group_text(group)}" for group in way.findings)


def _way_row(way: Way, quantities: Sequence[int]) -> list[str]:
    prices = [way.unit_price_usd(quantity) for quantity in quantities]
    mass = f"{way.mass_g:.1f}" if way.prices else ""
    return [MARKS[way.verdict], way_name(way), mass, *("" if price is None else f"{price:.2f}" for price in prices)]


def _summary(way: Way) -> str:
    errors = sum(group.count for group in way.findings if group.severity == "error")
    others = sum(group.count for group in way.findings) - errors
    texts = [counted(errors, "error")] if errors else ["can be made"]
    return ", ".join([*texts, *([counted(others, "recommendation")] if others else [])])


def _group_text(group: FindingGroup) -> str:
    times = f"{group.count} x " if group.count > 1 else ""
    return f"{SEVERITY_MARKS[group.severity]} {times}{group.rule}: {group.worst.detail}"


def _sum_lines(file: FileQuote) -> Iterator[str]:
    missing = file.sums[0].missing if file.sums else ()
    without = f", without {', '.join(missing)}" if missing else ""
    prices = ", ".join(f"{each.unit_price_usd:.2f} USD at {each.quantity}" for each in file.sums)
    yield f"sum of all pieces, each made the cheapest way{without}: {prices}"


def _table_row(file: str, part: QuotedPart, quantities: Sequence[int]) -> list[str]:
    best = part.best(quantities[0])
    prices = [(way, quantity) for quantity in quantities if (way := part.best(quantity)) is not None]
    texts = [f"{way.unit_price_usd(quantity) or 0.0:.2f}" for way, quantity in prices]
    padded = texts + [""] * (len(quantities) - len(texts))
    name = way_name(best) if best else ""
    change = shorten(first_change(part), TEXT_CHARS, placeholder=" …")
    return [MARKS[part.verdict], file, part.name, str(part.count), name, *padded, change]


def aligned(rows: Sequence[Sequence[str]], right: set[int]) -> list[str]:
    """Return rows as lines with columns of equal width, those of `right` aligned to the right."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return [
        "  ".join(
            text.rjust(width) if column in right else text.ljust(width)
            for column, (text, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
