"""Renders rows for the catalog's model."""

from documents.markdown import table
from store.catalog.reader import Rows


def rows_markdown(rows: Rows) -> str:
    """Return the rows as a table."""
    if not rows.rows:
        return "# Rows\n\nno row"
    found = table(rows.columns, [[_text(value) for value in row] for row in rows.rows])
    return f"# Rows\n\n{found}" + (f"\n\n{rows.note}" if rows.note else "")


def refusal_markdown(reason: str) -> str:
    """Return why the query was not run."""
    return f"# Rows\n\nrefused: {reason}"


def _text(value: object) -> str:
    if value is None:
        return ""
    return f"{value:.6g}" if isinstance(value, float) else str(value)
