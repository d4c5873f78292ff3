"""What a plan makes and buys, so that a prompt states what this needs."""

from contracts.models.design import Method
from documents.parser import DocumentError
from documents.parts_table import BOUGHT, PlannedPart
from documents.plan import parse_plan
from parts_catalog.methods.registry import METHODS
from parts_catalog.parts import part


def buys_motor(plan_md: str) -> bool:
    """Tell whether a plan buys a motor; one in another form may."""
    rows = _rows(plan_md)
    return rows is None or any(row.method == BOUGHT and part(row.material).motor is not None for row in rows)


def methods_of(plan_md: str) -> tuple[Method, ...]:
    """Return the methods by which the parts of a plan are made; of one in another form none."""
    named = {row.method for row in _rows(plan_md) or ()}
    return tuple(method for method in METHODS if method in named)


def _rows(plan_md: str) -> tuple[PlannedPart, ...] | None:
    try:
        return parse_plan(plan_md).parts
    except DocumentError:  # a log of another version may have a plan in another form, or with other parts
        return None
