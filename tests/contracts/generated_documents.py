"""The documents about the language that are written by machine."""

import json
from functools import cache
from pathlib import Path

from tests.architecture.repository import ROOT
from tests.contracts.describing import events_md
from tests.contracts.specifying import asyncapi

EVENTS_MD = ROOT / "docs" / "events.md"
ASYNCAPI = ROOT / "docs" / "asyncapi.json"


@cache
def current_documents() -> dict[Path, str]:
    """Return each document as the code of today would write it."""
    document = json.dumps(asyncapi(), indent=1, sort_keys=True, ensure_ascii=False) + "\n"
    return {EVENTS_MD: events_md(), ASYNCAPI: document}
