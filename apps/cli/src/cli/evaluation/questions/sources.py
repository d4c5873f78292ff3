"""Question sets that can be evaluated: generated, or a file of others."""

from hashlib import sha256
from pathlib import Path

from questions import generator

GENERATED = "questions"
"""Name of the generated set."""


def generated_digest() -> str:
    """Return what the questions of the generated set follow from: its code."""
    files = sorted(Path(generator.__file__).parent.glob("*.py"))
    return sha256(b"\0".join(sha256(file.read_bytes()).digest() for file in files)).hexdigest()
