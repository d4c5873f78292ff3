"""One full example of every event: a marble run on the detour benchmark, from request to skill.

An example is a file in `golden/`, written by hand as JSON. Every optional field is set, so that it pins each field
of the contracts; `regenerate` gives them their form, adds new fields with their defaults, and raises their version.
"""

import json
from pathlib import Path

from contracts.envelope import Event
from contracts.registry import EVENTS

GOLDEN = Path(__file__).parent / "golden"


def full_examples() -> dict[type[Event], Event]:
    """Return one example of each class; an outcome is caused by the example of its request."""
    return {event_class: _example_of(event_class) for event_class in EVENTS}


def _example_of(event_class: type[Event]) -> Event:
    path = GOLDEN / f"{event_class.__name__}.full.json"
    if not path.exists():
        raise FileNotFoundError(f"{path}: write an example of {event_class.__name__} as JSON, with every field set")
    message = json.loads(path.read_text("utf-8"))
    message.pop("schema_version", None)
    return event_class.model_validate(message)
