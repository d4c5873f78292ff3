"""Does the sandbox hold in a container? `./run test-deploy sandbox` tries all attacks in several, and tells the result.

The containers are unprivileged, with the engine's own filter of system calls and no capability beyond its defaults.
Exit code 1 when an attack was not denied or pyright was silent, 2 when no container can be run here.
"""

import subprocess
import sys
from datetime import UTC, datetime

from tests.architecture.repository import ROOT
from tests.deploy.engine import Engine, EngineMissingError
from tests.deploy.verdict import Verdict

SETTINGS = {
    "root, as the engine starts it": (),
    "uid 1000, as the engine starts it": ("--user", "1000:1000"),
    "root without any capability": ("--cap-drop", "ALL"),
    "uid 10001, nothing granted, read-only": (
        *("--user", "10001:10001", "--cap-drop", "ALL", "--security-opt", "no-new-privileges"),
        *("--network", "none", "--read-only", "--tmpfs", "/tmp"),
    ),
}
INSIDE = (".venv/bin/python", "-m", "tests.deploy.attack_probe")


def main() -> int:
    """Build, run, tell."""
    try:
        engine = Engine()
    except EngineMissingError as error:
        sys.stderr.write(f"test-deploy: {error}\n")
        return 2
    engine.build()
    verdicts: dict[str, Verdict] = {}
    for name, options in SETTINGS.items():
        verdicts[name] = Verdict.model_validate_json(engine.run(options, INSIDE))
    sys.stdout.write(_told(engine, verdicts))
    return 1 if any(each.not_denied or "wrong" not in "".join(each.linted) for each in verdicts.values()) else 0


def _told(engine: Engine, verdicts: dict[str, Verdict]) -> str:
    first = next(iter(verdicts.values()))
    changed = " with changes" if _git("status", "--short") else ""
    lines = [
        "# The attacks on a kernel, tried in containers\n",
        f"{datetime.now(UTC):%Y-%m-%d}, commit {_git('rev-parse', '--short', 'HEAD')}{changed}, "
        f"engine {engine.version}, Linux {first.linux}, Landlock ABI {first.landlock_abi}\n",
        "| container | attacks | held | not held | harmless ones that succeed there unconfined | pyright |",
        "|---|---|---|---|---|---|",
    ]
    for name, verdict in verdicts.items():
        failed = "; ".join(f"{attack}: {came}" for attack, came in verdict.not_denied.items()) or "none"
        held = verdict.tried - len(verdict.not_denied)
        said = "; ".join(verdict.linted)
        lines.append(f"| {name} | {verdict.tried} | {held} | {failed} | {len(verdict.unconfined)} | {said} |")
    return "\n".join(lines) + "\n"


def _git(*words: str) -> str:
    return subprocess.run(("git", *words), cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


if __name__ == "__main__":
    sys.exit(main())
