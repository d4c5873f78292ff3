"""The rows of docs/glossary.md."""

import re
from dataclasses import dataclass

from tests.architecture.repository import ROOT

GLOSSARY = ROOT / "docs" / "glossary.md"
_ROW = re.compile(
    r"^\| (?P<term>[^|]+) \| (?P<meaning>[^|]+) \| (?P<code>[^|]*) \|(?P<synonyms>[^|]*)\|$", re.MULTILINE
)


@dataclass(frozen=True)
class Term:
    """One row."""

    name: str
    meaning: str
    definition: str
    """Dotted path of what the term names in the code; empty if nothing does."""
    synonyms: tuple[str, ...]
    """Words that the project does not use for it."""

    @property
    def package(self) -> str:
        """The import package of the definition."""
        return self.definition.partition(".")[0]


def terms() -> list[Term]:
    """Return all rows."""
    rows = [found.groupdict() for found in _ROW.finditer(GLOSSARY.read_text("utf-8"))]
    return [
        Term(
            name=row["term"].strip(),
            meaning=row["meaning"].strip(),
            definition=row["code"].strip().strip("`"),
            synonyms=tuple(word.strip() for word in row["synonyms"].split(",") if word.strip()),
        )
        for row in rows
        if row["term"].strip() not in {"Term", "---"} and not row["term"].startswith("-")
    ]
