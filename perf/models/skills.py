"""A model that errs in every run, until a learned skill is adopted: `python -m perf.models.skills [--runs 3]`.

Everything is real but the model: kernels, physics, the learner with its rules, and `millwright skills trial`, whose
table of errors per run, before and after, on seeds that nothing has seen, is printed. Three mistakes of different kinds
and their fixes follow from `--secret`; a cell, an edit and a whole write fix one each. Exit code 1 if the version is
not adopted.
"""

import argparse
import os
import signal
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.support.clusters.command import start_command
from tests.support.clusters.fake_provider import expert_provider
from tests.support.measurements import setting
from tests.support.replies.build123d_mistakes import MEANS, TARGET
from tests.support.replies.mistaken_engineer import MODEL, MistakenEngineer

BENCHMARK = "gravity-chute"
READY_S, RUN_S, TRIAL_S = 240.0, 600.0, 3600.0


def main() -> int:
    """Solve, learn, try, and print what the commands print."""
    parser = argparse.ArgumentParser(description="A model that errs in every run, until a learned skill is adopted.")
    parser.add_argument("--runs", type=int, default=3, help="before the trial, on seeds from 0")
    parser.add_argument("--pairs", type=int, default=24)
    parser.add_argument("--secret", default=os.urandom(4).hex())
    arguments = parser.parse_args()
    engineer = MistakenEngineer(arguments.secret)
    print(
        f"# Mistakes of build123d, before and after a learned skill\n\n{setting(('build123d', 'mujoco'))}", flush=True
    )
    print(f"- secret {arguments.secret}")
    print(mistakes_of(engineer), end="")
    with commands_of(engineer) as commands:
        return _measure(commands, arguments.runs, arguments.pairs)


class Commands:
    """Runs commands over one data folder."""

    def __init__(self, folder: Path, environment: dict[str, str]) -> None:
        self._folder, self._environment = folder, environment

    def run(self, *arguments: str, timeout_s: float = RUN_S) -> str:
        with start_command(self._folder, *arguments, environment=self._environment) as command:
            command.wait(timeout_s)
            return command.printed

    def solve(self, seed: int) -> bool:
        arguments = ("solve", BENCHMARK, "--seed", str(seed))
        with start_command(self._folder, *arguments, environment=self._environment) as command:
            return command.wait(RUN_S) == 0

    @contextmanager
    def services(self) -> Generator[None]:
        """Run servers and services, which all other commands use, until the block ends."""
        with start_command(self._folder, "up", environment=self._environment) as command:
            end_s = time.monotonic() + READY_S
            while "Ctrl-C" not in command.printed and time.monotonic() < end_s:
                time.sleep(0.2)
            try:
                yield
            finally:
                command.process.send_signal(signal.SIGINT)
                command.wait(READY_S)


@contextmanager
def commands_of(engineer: MistakenEngineer) -> Generator[Commands]:
    """Yield the commands over a new data folder, with this engineer as their model."""
    with (
        TemporaryDirectory(ignore_cleanup_errors=True) as folder,
        expert_provider({MODEL: engineer.reply}) as provider,
    ):
        environment = {
            "OPENAI_BASE_URL": provider.base_url,
            "OPENAI_API_KEY": "of-no-value",
            "MILLWRIGHT_MODEL": f"openai:{MODEL}",
            "COLUMNS": "200",
        }
        yield Commands(Path(folder), environment)


def mistakes_of(engineer: MistakenEngineer) -> str:
    """Return a line for each mistake and its fix."""
    return "".join(f"  - `{each.kind} = {each.wrong}`, then `{each.right}`\n" for each in engineer.mistakes)


def _measure(commands: Commands, runs: int, pairs: int) -> int:
    with commands.services():
        for seed in range(runs):
            outcome = "solved" if commands.solve(seed) else "not solved"
            means = ", ".join(MEANS[(seed + number) % len(MEANS)] for number in range(len(MEANS)))
            print(f"- run {seed + 1}, whose mistakes are fixed by {means}: {outcome}", flush=True)
        name = _learned(commands)
        _print(f"skills show {name}", commands.run("skills", "show", name))
        tried = commands.run("skills", "trial", name, "--target", TARGET, "--pairs", str(pairs), timeout_s=TRIAL_S)
        _print(f"skills trial {name} --target {TARGET!r}", tried)
    return 0 if "adopted:" in tried else 1


def _learned(commands: Commands) -> str:
    """Return the name of the learned skill, once there is one."""
    end_s = time.monotonic() + RUN_S
    while time.monotonic() < end_s:
        lines = commands.run("skills", "list").splitlines()
        found = [line.split()[0] for line in lines if " proposed " in line]
        if found:
            return found[-1]
        time.sleep(1.0)
    raise TimeoutError("nothing was learned")


def _print(title: str, text: str) -> None:
    print(f"\n## millwright {title}\n\n```\n{text}\n```", flush=True)


if __name__ == "__main__":
    sys.exit(main())
