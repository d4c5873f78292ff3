"""Memory of a piece of work is the system's again when the work has ended."""

from pathlib import Path

from sim_worker.run.cancellation import run_in_thread

BLOCK_BYTES = 100_000
"""Too small for a mapping of its own."""
BLOCKS = 3000


def resident_mib() -> float:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("RssAnon:")) / 1024


async def test_memory_between_what_is_kept_is_given_back_after_the_work() -> None:
    kept: list[bytes] = []

    def work() -> float:
        blocks: list[bytearray] = []
        for number in range(BLOCKS):
            block = bytearray(BLOCK_BYTES)
            block[::4096] = bytes([1]) * len(range(0, BLOCK_BYTES, 4096))
            blocks.append(block)
            kept.append(bytes([number % 256]) * 600)  # lies behind the block, so that the heap cannot shrink
        return resident_mib()

    await run_in_thread(lambda _: None)  # gives back what earlier tests left free: it would be used again
    before_mib = resident_mib()
    used_mib = await run_in_thread(lambda _: work()) - before_mib
    assert used_mib > 200
    assert len(kept) == BLOCKS
    assert resident_mib() - before_mib < used_mib / 4
