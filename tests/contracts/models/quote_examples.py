"""Examples of the events of a quote."""

from contracts.envelope import Event, answering
from contracts.events.quote import QuoteCompleted, QuoteRequested
from contracts.quotes import QuoteChoice

from tests.contracts import example_values as values
from tests.contracts.worker_examples import EventsByClass


def quote(_: EventsByClass) -> list[Event]:
    """Return the events of a quote."""
    request = QuoteRequested(
        id=values.RUN,
        run_id=values.RUN,
        kind="operations",
        role="engineer",
        producer="gateway",
        name="bracket.step",
        file=values.blob("bracket.step", "model/step", 8000),
        choice=QuoteChoice(methods=("cnc", "3d_printing"), materials=("pla",), quantities=(1, 10)),
    )
    return [
        request,
        QuoteCompleted(
            **answering(request, "cad-worker"),
            verdict="unusable",
            parts=1,
            problem="has an open surface",
            quote=values.blob("quote.json", "application/json", 3000),
            shown=values.blob("shown.json", "application/json", 9000),
        ),
    ]
