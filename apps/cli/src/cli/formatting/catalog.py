"""What is looked for among what is sold."""

from contracts.events.catalog import CatalogQueried, CatalogSearched, CatalogSearchFailed, CatalogSearchRequested

from cli.formatting.event_line import EventLine, describe
from cli.formatting.phrases import words


@describe.register
def _(event: CatalogSearchRequested) -> EventLine:
    return EventLine(f"catalog is asked for: {event.words}", "quiet")


@describe.register
def _(event: CatalogQueried) -> EventLine:
    return EventLine(f"catalog {'refused' if event.was_refused else 'ran'}: {event.sql}", "quiet")


@describe.register
def _(event: CatalogSearched) -> EventLine:
    found = ", ".join(f"{find.id} ({find.unit_price_usd:.2f} USD)" for find in event.found)
    return EventLine(f"catalog found {found or 'nothing'}", "plain")


@describe.register
def _(event: CatalogSearchFailed) -> EventLine:
    return EventLine(f"catalog was not searched ({words(event.reason)}): {event.detail}", "bad")
