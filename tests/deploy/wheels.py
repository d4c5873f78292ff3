"""`./run test-deploy wheels`: installs the wheels of all our packages into a new environment, and uses the command.

It examines the machine and solves a benchmark in an empty folder outside of the checkout, with a home of its own.
Exit code 1 if a command fails. Third-party packages have the versions of the lock, and come from the package index or
uv's cache.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.architecture.repository import ROOT

UV = str(ROOT / ".millwright/uv/bin/uv")
COMMANDS = (("doctor",), ("solve", "gravity-chute", "--seed", "1"))
HIDDEN = ("MILLWRIGHT_DATA", "NATS_URL", "DATABASE_URL", "S3_ENDPOINT", "PYTHONPATH", "VIRTUAL_ENV", "XDG_DATA_HOME")
"""Variables that would lead the command back to the checkout, or to other servers."""


def main() -> int:
    """Build, install, run the commands; return the exit code."""
    with tempfile.TemporaryDirectory(prefix="millwright-wheels-") as temporary:
        folder = Path(temporary)
        wheels = _build(folder / "wheels")
        program = _install(wheels, folder)
        empty = folder / "empty"
        empty.mkdir()
        environment = {name: value for name, value in os.environ.items() if name not in HIDDEN}
        environment["HOME"] = str(folder)
        codes = [
            subprocess.run([program, *each], cwd=empty, env=environment, check=False).returncode for each in COMMANDS
        ]
        has_delivered = len(list(empty.glob("out/gravity-chute-1-*/report.md"))) == 1
        has_data = (folder / ".local/share/millwright" / "secrets.json").exists()
    if any(codes) or not has_delivered or not has_data:
        sys.stderr.write(f"test-deploy: exit codes {codes}, delivered: {has_delivered}, data outside: {has_data}\n")
        return 1
    return 0


def _build(folder: Path) -> list[str]:
    subprocess.run(
        [UV, "build", "--quiet", "--all-packages", "--wheel", "--out-dir", str(folder)], cwd=ROOT, check=True
    )
    return sorted(map(str, folder.glob("*.whl")))


def _install(wheels: list[str], folder: Path) -> Path:
    """Return the command. Our wheels are named by their paths: the index has other packages of the same names."""
    constraints, environment = folder / "constraints.txt", folder / "venv"
    export = ("export", "--quiet", "--locked", "--no-dev", "--no-hashes", "--no-emit-workspace", "--all-packages")
    subprocess.run([UV, *export, "--output-file", str(constraints)], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    subprocess.run([UV, "venv", "--quiet", "--python", sys.executable, str(environment)], check=True)
    python = environment / "bin" / "python"
    install = ("pip", "install", "--quiet", "--compile-bytecode", "--python", str(python), "-c", str(constraints))
    subprocess.run([UV, *install, *wheels], check=True)
    return environment / "bin" / "millwright"


if __name__ == "__main__":
    sys.exit(main())
