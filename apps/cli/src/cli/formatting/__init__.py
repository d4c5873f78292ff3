"""What an event says, in one line for people; a module for each file of the language.

Models and kernels may have written any of it: nothing here is markup, and control characters are shown, not sent.
"""

from cli.formatting import (
    catalog,
    conversation,
    dead_letters,
    design,
    plan,
    rendering,
    run,
    session,
    simulation,
    skill,
)
from cli.formatting.event_line import EventLine, Severity, describe, format_event

TOLD = (dead_letters, catalog, conversation, design, run, plan, rendering, session, simulation, skill)
"""Each gives its events their words when it is imported."""

__all__ = ["TOLD", "EventLine", "Severity", "describe", "format_event"]
