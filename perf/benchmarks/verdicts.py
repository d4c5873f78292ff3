"""Verdicts per core and minute, beside a bare `mj_step`: `./run perf benchmarks/verdicts [--episodes 100]`.

Witnesses of the suite are judged as submissions are: run in the sandbox, validated, priced, simulated with 32 replicas,
their parts looked at. Then episodes of the Gymnasium environment with random scripts, and what they leave behind.
"""

import argparse
import atexit
import os
import random
import shutil
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.loader import file_of, load, read_witness
from cad_worker.session_protocol import SessionOrder
from millwright.gym_environment import DesignEnvironment
from millwright.judge import background
from millwright.judged_design import JudgedDesign
from millwright.workshop import REPLICAS

from perf.loads.usage import cpu_by_group
from perf.simulation.step_rates import step_rates
from tests.support.measurements import setting, table
from tests.support.processes import descendants

BENCHMARKS = ("drop-catch", "gravity-chute", "slide-box", "push-flat", "lift-to-shelf", "sweeping-arm", "slalom")
REPETITIONS = 2
AFTERMATH_S = 2.0
"""Simulated after the nominal run has reached the goal."""
SCRIPTS = (
    "1 / 0",
    "assembly = None",
    "from build123d import Box\nassembly = Box({size}, 10, 10)",
    "import os\nos.abort()",
    "print('x' * 10_000_000)\nassembly = 1",
)
"""Random scripts, with a random size; the last resort of an untrained policy."""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Verdicts per core and minute.")
    parser.add_argument("--episodes", type=int, default=100)
    arguments = parser.parse_args()
    tempfile.tempdir = tempfile.mkdtemp()  # only our files count below
    atexit.register(shutil.rmtree, tempfile.tempdir)  # after the sandbox has ended
    _measure(arguments.episodes)


def _measure(episodes: int) -> None:
    print(f"# Verdicts per core and minute\n\n{setting(('mujoco', 'build123d'))}\n")
    head = ("witness", "CPU s of a verdict", "verdicts per core and minute", "bare mj_step, CPU s", "share of bare")
    print(table(head, []))
    for name in BENCHMARKS:
        print(f"| {' | '.join(_row(name))} |", flush=True)
    print(f"\n{_episodes(episodes)}")


def _row(name: str) -> tuple[str, ...]:
    witness, loaded, opened = read_witness(file_of(name)), load(name, 0), background()
    order = opened.run(opened.workshop.order(loaded))
    used = [_judged(witness, order) for _ in range(REPETITIONS)]
    cpu_s, judged = min(used, key=lambda each: each[0])
    assert judged.record is not None, f"{name}: {judged.verdict.headline}"
    bare_s = _bare_s(judged)
    return name, f"{cpu_s:.2f}", f"{60 / cpu_s:.1f}", f"{bare_s:.2f}", f"{bare_s / cpu_s:.0%}"


def _judged(script: str, order: SessionOrder) -> tuple[float, JudgedDesign]:
    opened, begun_s = background(), _cpu_s()
    judged = opened.run(opened.workshop.judge_files({"script.py": script}, order, REPLICAS))
    return _cpu_s() - begun_s, judged


def _bare_s(judged: JudgedDesign) -> float:
    """Return the CPU time of as many bare steps as nominal run and replicas have."""
    record = judged.record
    assert record is not None
    simulated_s = sum(each.time_s for each in (record.result.nominal, *record.result.replicas)) + AFTERMATH_S
    steps = simulated_s / record.world.model.opt.timestep
    rates = step_rates(record.world.scene, REPETITIONS)
    return steps / max(rates.bare)


def _episodes(count: int) -> str:
    """Run episodes of random scripts; name the processes and files that they leave."""
    generator = random.Random(0)  # noqa: S311 - draws scripts
    environment = DesignEnvironment(["drop-catch"], replicas=2)
    before = _left()
    begun_s = time.monotonic()
    for seed in range(count):
        environment.reset(seed=seed)
        environment.step(generator.choice(SCRIPTS).format(size=generator.randint(1, 500)))
    left = [after - earlier for after, earlier in zip(_left(), before, strict=True)]
    rate = 60 * count / (time.monotonic() - begun_s)
    return f"{count} episodes of random scripts: {rate:.0f} a minute, {left[0]} processes and {left[1]} files left."


def _cpu_s() -> float:
    """Return the CPU seconds of this process and of all its descendants, living and ended."""
    return sum(os.times()[:4]) + sum(cpu_by_group().values())


def _left() -> tuple[int, int]:
    return len(descendants(os.getpid())), sum(1 for _ in Path(tempfile.gettempdir()).iterdir())


if __name__ == "__main__":
    sys.exit(main())
