"""One part or several on their workbenches: can they be made, and for how much?"""

from cad_worker.job_protocol import ComponentInShop, Quote
from cad_worker.validation.rules.limits import exceeded_limits
from cad_worker.validation.rules.manufacturability import inspect


def quote(request: ComponentInShop) -> Quote:
    """Return bill and findings. Limits count here too: what is too dear for the whole is too dear in a part of it."""
    assignment, component = request.assignment, request.component
    inspection = inspect(component, assignment.quantity)
    limits = exceeded_limits(len(component.parts), inspection.bill, assignment.limits)
    return Quote(findings=(*inspection.findings, *limits, *inspection.advice), bill=inspection.bill)
