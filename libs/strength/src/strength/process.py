"""Analyses in a process of their own, with limits of time and memory: meshers are native code that may fall or hang."""

import resource
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from tempfile import TemporaryFile

from pydantic import TypeAdapter

from strength.models import Analysis, AnalysisResult, Failure

Outcome = AnalysisResult | Failure
_OUTCOME: TypeAdapter[Outcome] = TypeAdapter(AnalysisResult | Failure)
_MIB = 1 << 20
ENVIRONMENT = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MALLOC_MMAP_MAX_": "0",
    "MALLOC_TRIM_THRESHOLD_": str(1 << 40),
}
"""Of the process. glibc keeps freed memory: else each large array is new memory that Linux has to clear."""
LOOK_S = 0.2
"""How often the caller may look whether the answers are still wanted."""


@dataclass(frozen=True)
class ProcessLimits:
    """Of the process that runs all analyses of a call."""

    cpu_s: int = 60
    memory_mib: int = 2048


def run(
    analyses: Sequence[Analysis], limits: ProcessLimits = ProcessLimits(), look: Callable[[], None] = lambda: None
) -> list[Outcome]:
    """Return the outcome of each analysis, in order.

    An analysis that brings the process down fails alone: the next ones run in another process. `look` is called several
    times a second; what it raises ends the process.
    """
    outcomes: list[Outcome] = []
    while len(outcomes) < len(analyses):
        found, code = _run(analyses[len(outcomes) :], limits, look)
        outcomes += found
        if len(outcomes) < len(analyses):
            outcomes.append(_ended(code, limits))
    return outcomes


def _run(analyses: Sequence[Analysis], limits: ProcessLimits, look: Callable[[], None]) -> tuple[list[Outcome], int]:
    command = [sys.executable, "-m", "strength", str(limits.cpu_s), str(limits.memory_mib)]
    given = "\n".join(each.model_dump_json() for each in analyses).encode()
    with TemporaryFile() as file:  # a pipe that a slow start leaves half written would never be filled up
        file.write(given)
        file.seek(0)
        with subprocess.Popen(
            command, stdin=file, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=ENVIRONMENT
        ) as process:
            try:
                output = _output(process, look)
            finally:
                process.kill()
    lines = output.splitlines(keepends=True)
    return [_OUTCOME.validate_json(line) for line in lines if line.endswith(b"\n")], process.returncode


def _output(process: "subprocess.Popen[bytes]", look: Callable[[], None]) -> bytes:
    while True:
        try:
            return process.communicate(timeout=LOOK_S)[0]
        except subprocess.TimeoutExpired:
            look()


def _ended(code: int, limits: ProcessLimits) -> Failure:
    if code == -24:
        return Failure(reason="out_of_time", detail=f"the analysis took more than {limits.cpu_s} s of processor time")
    return Failure(reason="crashed", detail=f"the analysis ended its process with code {code}")


def limit_this_process(cpu_s: int, memory_mib: int) -> None:
    """Set the limits of a process that runs analyses."""
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_s, cpu_s + 1))
    resource.setrlimit(resource.RLIMIT_DATA, (memory_mib * _MIB, memory_mib * _MIB))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
