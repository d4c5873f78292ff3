"""The golden file of the doctor's failures: wording and fix of each injected fault, by the fault's name.

`python -m tests.doctor.failure_golden` writes it again.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

from cli.commands.doctor import check_lines
from doctor import Check

FILE = Path(__file__).with_name("golden") / "failures.json"
REGENERATE = "REGENERATE_DOCTOR_GOLDEN"
VARYING = {
    r"/\S*?/(?:pytest-of-\w+/)?pytest-\d+/(?:popen-gw\d+/)?[\w.-]+": "<folder>",
    r"127\.0\.0\.1:\d+": "127.0.0.1:<port>",
    r"chown (-R )?\d+": r"chown \1<user>",
    r"hard limit is -?\d+": "hard limit is <limit>",
    r"installed is \d+": "installed is <version>",
}
"""By pattern of a value that differs between machines: its placeholder in the file."""


def assert_failure(fault: str, check: Check, name: str, measured: str) -> None:
    """Assert that a check found this fault and no other, with a measured value, and with the golden wording."""
    assert check.name == name
    assert len(check.failures) == 1, check
    (failure,) = check.failures
    assert re.search(measured, f"{failure.what} ({failure.measured})"), failure
    lines = [line.plain for line in check_lines(check)]
    assert [line.split()[0] for line in lines] == ["✗", "fix:"]
    assert all("\n" not in line for line in lines)
    wording = {"what": _normalized(failure.what), "fix": _normalized(failure.fix)}
    if os.environ.get(REGENERATE):
        _store(fault, wording)
    assert wording == _stored()[fault]


def _normalized(text: str) -> str:
    for pattern, stand_in in VARYING.items():
        text = re.sub(pattern, stand_in, text)
    return text


def _stored() -> dict[str, dict[str, str]]:
    return json.loads(FILE.read_text("utf-8"))


def _store(fault: str, wording: dict[str, str]) -> None:
    stored = {**(_stored() if FILE.exists() else {}), fault: wording}
    FILE.parent.mkdir(exist_ok=True)
    FILE.write_text(json.dumps(dict(sorted(stored.items())), indent=1, ensure_ascii=False) + "\n", "utf-8")


def main() -> int:
    """Inject all faults, and write the file."""
    FILE.unlink(missing_ok=True)
    command = [sys.executable, "-m", "pytest", str(FILE.parents[1]), "-k", "fault"]
    return subprocess.run(command, env={**os.environ, REGENERATE: "1"}, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
