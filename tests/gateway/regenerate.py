"""Writes docs/openapi.json: `python -m tests.gateway.regenerate`."""

import json
from pathlib import Path

from gateway.api import make_operations

FILE = Path(__file__).parents[2] / "docs" / "openapi.json"


def document() -> str:
    """Return the document of the API as it is in the repository."""
    return json.dumps(make_operations().openapi(), indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    FILE.write_text(document(), "utf-8")
