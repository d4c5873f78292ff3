"""How soon Ctrl-C ends a command in the middle of a run: `python -m perf.leaving [--times 5]`.

`millwright solve` starts everything itself, and is interrupted when the first kernel is ready. Exit code 1 if a process
of it is left, or the command is gone later than 3 s after Ctrl-C: 1.5 s are S3's, which ends no sooner.
"""

import argparse
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from local_stack.servers.postgres_home import erase
from local_stack.servers.secrets import read_secrets

from perf.messages.timing import setting
from perf.mortality.processes import family, table, wait_for

GOAL_S = 3.0
STARTING_S, PATIENCE_S = 300.0, 60.0


def main() -> int:
    """Print a line per command."""
    parser = argparse.ArgumentParser(description="How soon Ctrl-C ends a command.")
    parser.add_argument("--times", type=int, default=5)
    print(setting())
    late = 0
    for number in range(1, parser.parse_args().times + 1):
        with TemporaryDirectory() as folder:
            took_s, left = _interrupted(Path(folder))
        print(f"{number}: gone {took_s:.2f} s after Ctrl-C; {left} processes left", flush=True)
        late += took_s > GOAL_S or left > 0
    return 1 if late else 0


def _interrupted(folder: Path) -> tuple[float, int]:
    """Return how long one command took to end, and how many of its processes were left then."""
    log, data = folder / "printed.txt", folder / "data"
    with log.open("wb") as output:
        command = subprocess.Popen(
            (sys.executable, "-m", "cli", "solve", "detour", "--seed", "4"),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            cwd=folder,
            env={**os.environ, "MILLWRIGHT_DATA": str(data)},
        )
    try:
        wait_for(lambda: "kernel ready" in log.read_text(), STARTING_S, "a kernel", log.read_text)
        begun = {(each.pid, each.command) for each in family(command.pid)}
        at_s = time.monotonic()
        command.send_signal(signal.SIGINT)
        command.wait(PATIENCE_S)
        took_s = time.monotonic() - at_s
        return took_s, sum((each.pid, each.command) in begun for each in table())
    finally:
        command.kill()
        command.wait()
        erase(read_secrets(data / "secrets.json").stack)


if __name__ == "__main__":
    sys.exit(main())
