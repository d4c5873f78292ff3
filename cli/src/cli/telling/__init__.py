"""What an event says, in one line for people; a module for each file of the language.

Models and kernels may have written any of it: nothing here is markup, and control characters are shown, not sent.
"""

from cli.telling import (
    abandoned,
    catalog,
    conversation,
    design,
    engineering,
    planning,
    rendering,
    session,
    simulation,
    skill,
)
from cli.telling.gists import Gist, Mood, gist, tell

TOLD = (abandoned, catalog, conversation, design, engineering, planning, rendering, session, simulation, skill)
"""Each gives its events their words when it is imported."""

__all__ = ["TOLD", "Gist", "Mood", "gist", "tell"]
