"""Writes the golden files of the kernel: `python -m tests.kernel.regenerate`."""

from tests.kernel.surfaces import GOLDEN, SURFACES
from tests.support.golden import write_golden

if __name__ == "__main__":
    write_golden(GOLDEN, SURFACES)
