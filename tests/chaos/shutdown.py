"""Time until Ctrl-C ends a command in the middle of a run: `./run chaos shutdown [--times 5]`.

`millwright solve` starts everything itself, and is interrupted when the first kernel is ready. Exit code 1 if a process
remains, or if the command takes longer than 3 s: 1.5 s of it are S3's own.
"""

import argparse
import signal
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from local_stack.servers.secrets import read_secrets
from local_stack.servers.stack_records import erase

from tests.support.clusters.command import start_command
from tests.support.measurements import setting
from tests.support.processes import descendants, process_table, wait_for

GOAL_S = 3.0
START_S, SHUTDOWN_S = 300.0, 60.0


def main() -> int:
    """Print a line per command."""
    parser = argparse.ArgumentParser(description="Time until Ctrl-C ends a command.")
    parser.add_argument("--times", type=int, default=5)
    print(setting())
    late = 0
    for number in range(1, parser.parse_args().times + 1):
        with TemporaryDirectory() as folder:
            took_s, remaining = _interrupt(Path(folder))
        print(f"{number}: ended {took_s:.2f} s after Ctrl-C; {remaining} processes remain", flush=True)
        late += took_s > GOAL_S or remaining > 0
    return 1 if late else 0


def _interrupt(folder: Path) -> tuple[float, int]:
    """Return how long a command took to end, and how many of its processes remained then."""
    try:
        with start_command(folder, "solve", "detour", "--seed", "4") as command:
            wait_for(lambda: "kernel ready" in command.printed, START_S, "a kernel", lambda: command.printed)
            processes = {(each.pid, each.command) for each in descendants(command.process.pid)}
            at_s = time.monotonic()
            command.process.send_signal(signal.SIGINT)
            command.process.wait(SHUTDOWN_S)
            took_s = time.monotonic() - at_s
            return took_s, sum((each.pid, each.command) in processes for each in process_table())
    finally:
        erase(read_secrets(folder / "data" / "secrets.json").stack)


if __name__ == "__main__":
    sys.exit(main())
