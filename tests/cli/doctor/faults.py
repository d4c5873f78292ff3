"""How a fault is told: in one table for each kind of place that it is injected into."""

import re
from dataclasses import dataclass

from cli.commands.doctor import told
from doctor import Check


@dataclass(frozen=True)
class Expected:
    """What must be said of a fault, as regular expressions."""

    what: str
    mend: str


def assert_named(check: Check, expected: Expected) -> None:
    """The fault, and nothing else, is named with its mend, in lines for people."""
    assert len(check.failures) == 1, check
    (finding,) = check.failures
    assert re.search(expected.what, f"{finding.what} ({finding.measured})"), finding
    assert re.search(expected.mend, finding.fix), finding
    lines = [line.plain for line in told(check)]
    assert lines[0].startswith(f"✗ {check.name}")
    assert lines[1].strip().startswith("mend: ")
    assert all("\n" not in line for line in lines)
