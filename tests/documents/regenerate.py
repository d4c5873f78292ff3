"""Writes the golden files of documents: `python -m tests.documents.regenerate`."""

from tests.documents.surfaces import GOLDEN, SURFACES
from tests.support.golden import write_golden

if __name__ == "__main__":
    write_golden(GOLDEN, SURFACES)
