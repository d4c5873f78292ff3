"""Plans and what is thought of them."""

from contracts.planning import PlanApproved, PlanProposed, PlanRejected

from cli.telling.gists import Gist, tell
from cli.words import headline


@tell.register
def _(event: PlanProposed) -> Gist:
    return Gist(f"plan with {event.todo_md.count('- [')} tasks: {headline(event.plan_md)}")


@tell.register
def _(event: PlanApproved) -> Gist:
    return Gist(f"plan agreed: {headline(event.review_md)}", "good")


@tell.register
def _(event: PlanRejected) -> Gist:
    return Gist(f"plan rejected: {headline(event.review_md)}", "bad")
