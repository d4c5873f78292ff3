"""Plans and what is thought of them."""

from contracts.events.plan import PlanApproved, PlanProposed, PlanRefused, PlanRejected, RefusalDenied, RefusalUpheld

from cli.formatting.event_line import Gist, tell
from cli.text import headline


@tell.register
def _(event: PlanProposed) -> Gist:
    return Gist(f"plan with {event.todo_md.count('- [')} tasks: {headline(event.plan_md)}")


@tell.register
def _(event: PlanApproved) -> Gist:
    return Gist(f"plan agreed: {headline(event.review_md)}", "good")


@tell.register
def _(event: PlanRejected) -> Gist:
    return Gist(f"plan rejected: {headline(event.review_md)}", "bad")


@tell.register
def _(event: PlanRefused) -> Gist:
    cited = ", ".join(f"{each.kind} {each.number}" for each in event.evidence)
    return Gist(f"plan refused, with {cited or 'nothing'} as proof: {headline(event.proof_md)}", "bad")


@tell.register
def _(event: RefusalUpheld) -> Gist:
    return Gist(f"refusal upheld, the plan is to be made anew: {headline(event.review_md)}", "good")


@tell.register
def _(event: RefusalDenied) -> Gist:
    return Gist(f"refusal denied, work goes on: {headline(event.review_md)}", "bad")
