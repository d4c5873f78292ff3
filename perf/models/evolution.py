"""Evolution of a skill over a model that errs: `./run perf models/evolution [--runs 36]`.

Everything is real but the model: kernels, physics, the learner with its rules, `millwright skills evolve` and its
trial. Each world shows one of three mistakes, in turn by its seed; mistakes and fixes follow from `--secret`. The
default budget is what three changes on three tasks and the fewest pairs that can adopt take, with two pairs in reserve;
the default world is the one with the fewest parts. Exit code 1 if the evolved version is not adopted.
"""

import argparse
import os
import sys

from perf.models.skills import TRIAL_S, Commands, commands_of, mistakes_of
from tests.support.measurements import setting
from tests.support.replies.build123d_mistakes import TARGET
from tests.support.replies.mistaken_engineer import MistakenEngineer

SKILL = "parts-that-failed"


def main() -> int:
    """Evolve a skill, and print what the commands print."""
    parser = argparse.ArgumentParser(description="Evolution of a skill over a model that errs.")
    parser.add_argument("--runs", type=int, default=36, help="budget")
    parser.add_argument("--benchmark", default="drop-catch")
    parser.add_argument("--secret", default=os.urandom(4).hex())
    arguments = parser.parse_args()
    engineer = MistakenEngineer(arguments.secret, makes_one=True)
    print(f"# Evolution of a skill\n\n{setting(('build123d', 'mujoco'))}\n- secret {arguments.secret}", flush=True)
    print(mistakes_of(engineer), end="")
    with commands_of(engineer) as commands:
        return _evolve(commands, arguments.benchmark, arguments.runs)


def _evolve(commands: Commands, benchmark: str, runs: int) -> int:
    options = ("--benchmark", benchmark, "--seeds", "0-2", "--target", TARGET, "--max-runs", str(runs))
    with commands.services():
        evolved = commands.run("skills", "evolve", SKILL, *options, timeout_s=TRIAL_S)
        print(f"\n## millwright skills evolve {SKILL} {' '.join(options)}\n\n```\n{evolved}\n```", flush=True)
        for command in (("show", SKILL), ("report",)):
            print(f"\n## millwright skills {command[0]}\n\n```\n{commands.run('skills', *command)}\n```", flush=True)
    return 0 if "trial: adopted" in evolved else 1


if __name__ == "__main__":
    sys.exit(main())
