"""findings.md: every finding, environment fault and capture error that agents can read, from one case each.

`python -m tests.cad_worker.golden.findings` writes it again.
"""

import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from contracts.models.design import Finding

from tests.cad_worker.golden import design_cases, document_cases, environment_cases, workbench_cases
from tests.support.small_environment import make_designs, make_variant

FILE = Path(__file__).with_name("findings.md")


@cache
def all_findings() -> list[tuple[str, Finding]]:
    """Return the findings of designs, of single parts and of documents, each with the title of its case."""
    cases = [*design_cases.cases(make_designs()), *workbench_cases.cases(), *document_cases.cases()]
    return [(title, finding) for title, findings in cases for finding in findings]


def document() -> str:
    """Return the text of findings.md."""
    lines = ["# Findings", "", "Written by `python -m tests.cad_worker.golden.findings`.", ""]
    lines += _sections(
        (title, f"`{each.rule}` {each.severity} {each.label}".strip(), each.detail) for title, each in all_findings()
    )
    lines += ["# Environment faults", ""]
    faults = environment_cases.fault_cases(make_variant())
    lines += _sections((title, f"`{reason}`", detail) for title, reason, detail in faults)
    lines += ["# Capture errors", ""]
    lines += _sections((title, "", message) for title, message in environment_cases.capture_cases())
    return "\n".join(lines)


def _sections(rows: Iterable[tuple[str, str, str]]) -> list[str]:
    lines: list[str] = []
    last = ""
    for title, head, detail in rows:
        if title != last:
            lines += [f"## {title}", ""]
        last = title
        lines += [f"{head}: {detail}" if head else detail, ""]
    return lines


def main() -> int:
    """Write the file; return 1 if it has changed."""
    text = document()
    if FILE.exists() and FILE.read_text("utf-8") == text:
        return 0
    FILE.write_text(text, "utf-8")
    sys.stderr.write(f"written: {FILE.name}\n")
    return 1


if __name__ == "__main__":
    sys.exit(main())
