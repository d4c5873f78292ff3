"""A plan as the planner's model writes it."""

from tests.contracts.example_values import PLAN, TODO


def reply(plan: str = PLAN, todo: str = TODO) -> str:
    """Return the reply that these documents are made of."""
    return f"{plan.removeprefix('# Plan').strip()}\n\n{todo.replace('# TODO', '## TODO', 1)}"


REPLY = reply()
"""A roll down a slope of 8 degrees, within the limits of the example assignment."""
