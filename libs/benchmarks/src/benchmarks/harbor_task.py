"""A benchmark under one seed as a task of Harbor: a folder of its format 1.4, whose tests are our judge.

The agent gets the world and writes a script; the verifier judges it in a container of its own, with its own copy of
the world; the witness is the oracle's solution.
"""

from pathlib import Path

from contracts.events.design import DesignValidated

from benchmarks.loader import CODE, FILE, LoadedBenchmark

IMAGE = "millwright/judge:latest"
AGENT_S, VERIFIER_S = 3600, 900
_TASK = """\
schema_version = "1.4"
artifacts = ["/workspace/script.py"]

[task]
name = "millwright/{name}"
description = "{title}"
keywords = ["cad", "build123d", "mujoco", "level-{level}"]

[metadata]
benchmark = "{benchmark}"
seed = {seed}

[agent]
timeout_sec = {agent_s}.0

[environment]
network_mode = "no-network"
workdir = "/workspace"
cpus = 2
memory_mb = 6144

[verifier]
timeout_sec = {verifier_s}.0
environment_mode = "separate"
network_mode = "no-network"

[verifier.environment]
cpus = 2
memory_mb = 6144
"""
_DOCKERFILE = """\
FROM {image}
USER root
COPY --chown=10001:10001 world /workspace/world
WORKDIR /workspace
RUN chown 10001:10001 /workspace
USER 10001:10001
"""
_VERIFIER = """\
FROM {image}
USER root
COPY --chown=10001:10001 . /tests
USER 10001:10001
"""
"""A verifier of its own gets no files but those of its image."""
_INSTRUCTION = """\
# {title}

{description}

Design a machine that moves the payload into the goal zone, and keep to the limits. Write it as one build123d script,
`/workspace/script.py`, that binds `assembly`: a `Compound` of labelled parts, each with a manufacturing method and a
material, connected by its mechanism.

- `/workspace/world/{file}` has the zones, the payload and the limits; `{code}` beside it draws the solids of the
  environment. `variant.json` has the exact numbers of this world (seed {seed}), in millimetres, kilograms and seconds.
- `python -m cli try world script.py --seed {seed} --no-film --out out` judges a script as often as you like: its parts
  are checked and priced, and simulated in {replicas} jittered replicas. `out/verdict.md` says what is wrong.
- `python -c "from kernel.baked import utils; help(utils)"` prints the functions that a script may import from `utils`.

You are done when the verdict is SOLVED.
"""
_TEST = """\
#!/bin/bash
# Judges the script, and leaves numbers whatever happens.
mkdir -p /logs/verifier
python -m cli try /tests/world /workspace/script.py --seed {seed} --json >/logs/verifier/verdict.json
python /tests/reward.py /logs/verifier/verdict.json >/logs/verifier/reward.json
"""
_REWARD = '''\
"""Prints the rewards of a verdict: `reward` is 1 for a proven design, `replicas` the share of replicas that it solved,
`makeable` 1 for a design without an error of validation."""

import json
import sys
from pathlib import Path

try:
    verdict = json.loads(Path(sys.argv[1]).read_text("utf-8"))
except ValueError:  # the script could not be judged at all
    verdict = {"outcome": "script_failed", "success_rate": 0.0}
rewards = {
    "reward": float(verdict["outcome"] == "solved"),
    "replicas": verdict["success_rate"],
    "makeable": float(verdict["outcome"] in {"solved", "not_solved"}),
}
print(json.dumps(rewards))
'''
_SOLVE = """\
#!/bin/bash
cp /solution/script.py /workspace/script.py
"""


def task_name(loaded: LoadedBenchmark) -> str:
    """Return the name of the task, and of its folder."""
    return f"{loaded.file.name}-seed-{loaded.variant.seed}"


def task_files(loaded: LoadedBenchmark, file: Path, witness: str, image: str = IMAGE) -> dict[str, str]:
    """Return the files of the task by path; `file` is the benchmark.yaml, or that of another level."""
    variant = loaded.variant
    world = {FILE: file.read_text("utf-8"), CODE: loaded.environment_code.decode()}
    values = {
        "name": task_name(loaded),
        "benchmark": loaded.file.name,
        "title": variant.title.replace('"', "'"),
        "description": variant.description.strip(),
        "level": variant.level,
        "seed": variant.seed,
        "file": FILE,
        "code": CODE,
        "replicas": DesignValidated.model_fields["replicas"].default,
        "image": image,
        "agent_s": AGENT_S,
        "verifier_s": VERIFIER_S,
    }
    return {
        "task.toml": _TASK.format(**values),
        "instruction.md": _INSTRUCTION.format(**values),
        "environment/Dockerfile": _DOCKERFILE.format(**values),
        "environment/world/variant.json": variant.model_dump_json(indent=1),
        **{f"environment/world/{name}": text for name, text in world.items()},
        **{f"tests/world/{name}": text for name, text in world.items()},
        "tests/Dockerfile": _VERIFIER.format(**values),
        "tests/test.sh": _TEST.format(**values),
        "tests/reward.py": _REWARD,
        "solution/solve.sh": _SOLVE,
        "solution/script.py": witness,
    }
