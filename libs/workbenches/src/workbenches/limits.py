"""Work in a process of its own that may neither run for ever nor take all memory."""

import os
import resource
import signal
import sys
from collections.abc import Callable

CPU_S = 120
MEMORY_BYTES = 8 << 30


class LimitExceededError(RuntimeError):
    """The work was ended."""


def run_limited(work: Callable[[], int], cpu_s: int = CPU_S, memory_bytes: int = MEMORY_BYTES) -> int:
    """Return the exit code of `work`; raise `LimitExceededError` if it took too much time, or crashed.

    Native code that loops, or fails for want of memory, can be ended only with its process.
    """
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        _work(work, cpu_s, memory_bytes)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if code == -signal.SIGXCPU:
        raise LimitExceededError(f"it takes more than {cpu_s} s of computation: simplify the part")
    if code < 0:
        reason = signal.Signals(-code).name
        raise LimitExceededError(
            f"the geometry kernel crashed ({reason}): the file is damaged, or needs more than {memory_bytes >> 30} GB"
        )
    return code


def _work(work: Callable[[], int], cpu_s: int, memory_bytes: int) -> None:
    code = 1
    try:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CPU, (cpu_s, cpu_s + 1))
        resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
        code = work()
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else 1
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
