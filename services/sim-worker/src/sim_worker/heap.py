"""The C library's heap: what a film or a batch of replicas held is given back to the system after it.

By itself glibc keeps it. Each thread allocates in an arena of its own, and once a large array was freed, arrays of that
size come from arenas, whose free memory between two blocks in use stays resident.
"""

import ctypes

M_TRIM_THRESHOLD, M_MMAP_THRESHOLD, M_ARENA_MAX = -1, -3, -8
"""From malloc.h."""
LARGE_BYTES = 1 << 20
"""Each block from this size on is a mapping of its own, which is gone when it is freed."""
ARENAS = 2


def limit_heap() -> None:
    """Set the limits of this process; call it before threads start."""
    libc = ctypes.CDLL(None)
    for parameter, value in ((M_ARENA_MAX, ARENAS), (M_MMAP_THRESHOLD, LARGE_BYTES), (M_TRIM_THRESHOLD, LARGE_BYTES)):
        libc.mallopt(parameter, value)


def give_back() -> None:
    """Return the free pages of all arenas to the system; it takes milliseconds."""
    ctypes.CDLL(None).malloc_trim(0)
