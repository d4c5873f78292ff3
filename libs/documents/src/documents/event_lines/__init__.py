"""Events as lines for people.

Models and kernels may have written any part of an event: no text is markup, and control characters are escaped.
"""

from documents.event_lines import benchmark_events, question_events, run_events, work_events
from documents.event_lines.event_line import EventLine, Severity, describe, format_event

REGISTERED = (benchmark_events, question_events, run_events, work_events)
"""Importing them registers the line of each event class."""

__all__ = ["REGISTERED", "EventLine", "Severity", "describe", "format_event"]
