"""Plans and what is thought of them."""

from contracts.events.plan import PlanApproved, PlanProposed, PlanRefused, PlanRejected, RefusalDenied, RefusalUpheld

from cli.formatting.event_line import EventLine, describe
from cli.text import headline


@describe.register
def _(event: PlanProposed) -> EventLine:
    return EventLine(f"plan with {event.todo_md.count('- [')} tasks: {headline(event.plan_md)}")


@describe.register
def _(event: PlanApproved) -> EventLine:
    return EventLine(f"plan agreed: {headline(event.review_md)}", "good")


@describe.register
def _(event: PlanRejected) -> EventLine:
    return EventLine(f"plan rejected: {headline(event.review_md)}", "bad")


@describe.register
def _(event: PlanRefused) -> EventLine:
    cited = ", ".join(f"{each.kind} {each.number}" for each in event.evidence)
    return EventLine(f"plan refused, with {cited or 'nothing'} as proof: {headline(event.proof_md)}", "bad")


@describe.register
def _(event: RefusalUpheld) -> EventLine:
    return EventLine(f"refusal upheld, the plan is to be made anew: {headline(event.review_md)}", "good")


@describe.register
def _(event: RefusalDenied) -> EventLine:
    return EventLine(f"refusal denied, work goes on: {headline(event.review_md)}", "bad")
