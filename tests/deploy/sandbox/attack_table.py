"""The sandbox in containers: `./run test-deploy sandbox` runs all attacks in several, and prints the result.

The containers are unprivileged, with the engine's own filter of system calls and no capability beyond its defaults.
Exit code 1 when an attack was not denied, 2 when no container can be run here.
"""

import sys
from datetime import UTC, datetime

from tests.architecture.repository import git
from tests.deploy.sandbox.attack_report import AttackReport
from tests.deploy.sandbox.engine import Engine, EngineMissingError

SETTINGS = {
    "root, as the engine starts it": (),
    "uid 1000, as the engine starts it": ("--user", "1000:1000"),
    "root without any capability": ("--cap-drop", "ALL"),
    "uid 10001, no rights, read-only": (
        *("--user", "10001:10001", "--cap-drop", "ALL", "--security-opt", "no-new-privileges"),
        *("--network", "none", "--read-only", "--tmpfs", "/tmp"),
    ),
}
INSIDE = (".venv/bin/python", "-m", "tests.deploy.sandbox.attack_probe")


def main() -> int:
    """Build the image, run the attacks, print the table."""
    try:
        engine = Engine()
    except EngineMissingError as error:
        sys.stderr.write(f"test-deploy: {error}\n")
        return 2
    engine.build()
    reports: dict[str, AttackReport] = {}
    for name, options in SETTINGS.items():
        reports[name] = AttackReport.model_validate_json(engine.run(options, INSIDE))
    sys.stdout.write(_table(engine, reports))
    return 1 if any(each.not_denied for each in reports.values()) else 0


def _table(engine: Engine, reports: dict[str, AttackReport]) -> str:
    first = next(iter(reports.values()))
    changed = " with changes" if git("status", "--short") else ""
    lines = [
        "# Attacks on a kernel in containers\n",
        f"{datetime.now(UTC):%Y-%m-%d}, commit {git('rev-parse', '--short', 'HEAD')}{changed}, "
        f"engine {engine.version}, Linux {first.linux}, Landlock ABI {first.landlock_abi}\n",
        "| container | attacks | denied | not denied | harmless attacks that succeed unconfined |",
        "|---|---|---|---|---|",
    ]
    for name, report in reports.items():
        failed = "; ".join(f"{attack}: {came}" for attack, came in report.not_denied.items()) or "none"
        denied = report.tried - len(report.not_denied)
        lines.append(f"| {name} | {report.tried} | {denied} | {failed} | {len(report.harmless_outside)} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
