"""The generated documents about the contracts."""

import json
from functools import cache
from pathlib import Path

from tests.architecture.repository import ROOT
from tests.contracts.asyncapi_document import asyncapi
from tests.contracts.events_document import events_md

EVENTS_MD = ROOT / "docs" / "events.md"
ASYNCAPI = ROOT / "docs" / "asyncapi.json"


@cache
def current_documents() -> dict[Path, str]:
    """Return the text that each document must have."""
    document = json.dumps(asyncapi(), indent=1, sort_keys=True, ensure_ascii=False) + "\n"
    return {EVENTS_MD: events_md(), ASYNCAPI: document}
