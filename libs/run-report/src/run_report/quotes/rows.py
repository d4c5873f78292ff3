"""Quotes as CSV: a row for each part, way and quantity."""

import csv
import io

from contracts.quotes import QuoteReport

COLUMNS = (
    *("file", "verdict", "part", "count", "method", "material", "way_verdict", "quantity", "pieces"),
    *("unit_price_usd", "mass_g", "errors", "first_finding", "problem"),
)


def report_csv(report: QuoteReport) -> str:
    """Return the report as CSV with a header; a file that cannot be quoted has one row with its problem."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(COLUMNS)
    for file in report.files:
        if not file.parts:
            writer.writerow(map(_safe, (file.file, file.verdict, *([""] * 11), file.problem)))
        for part in file.parts:
            head = (file.file, part.verdict, part.name, part.count)
            if not part.ways:
                writer.writerow(map(_safe, (*head, *([""] * 9), part.problem)))
            for way in part.ways:
                errors = sum(group.count for group in way.findings if group.severity == "error")
                first = way.findings[0].worst.detail if way.findings else ""
                named = (*head, way.method, way.material_id, way.verdict)
                if not way.prices:
                    writer.writerow(map(_safe, (*named, "", "", "", "", errors, first, way.reason)))
                for price in way.prices:
                    usd = f"{price.breakdown.unit_price_usd:.2f}"
                    figures = (price.quantity, price.pieces, usd, f"{way.mass_g:.2f}", errors)
                    writer.writerow(map(_safe, (*named, *figures, first, "")))
    return stream.getvalue()


def _safe(value: object) -> object:
    """Return text that no spreadsheet takes for a formula: names come from files of others."""
    return f"'{value}" if isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t")) else value
