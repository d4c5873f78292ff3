"""All tasks for Inspect, which finds them here by the entry point of this package."""

from millwright.inspect_questions import questions
from millwright.inspect_tasks import machines

__all__ = ["machines", "questions"]
