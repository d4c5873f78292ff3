"""What is looked for among what is sold."""

from contracts.events.catalog import CatalogQueried, CatalogSearched, CatalogSearchFailed, CatalogSearchRequested

from cli.formatting.event_line import Gist, tell
from cli.formatting.phrases import words


@tell.register
def _(event: CatalogSearchRequested) -> Gist:
    return Gist(f"catalog is asked for: {event.words}", "quiet")


@tell.register
def _(event: CatalogQueried) -> Gist:
    return Gist(f"catalog {'refused' if event.was_refused else 'ran'}: {event.sql}", "quiet")


@tell.register
def _(event: CatalogSearched) -> Gist:
    found = ", ".join(f"{find.id} ({find.unit_price_usd:.2f} USD)" for find in event.found)
    return Gist(f"catalog found {found or 'nothing'}", "plain")


@tell.register
def _(event: CatalogSearchFailed) -> Gist:
    return Gist(f"catalog was not searched ({words(event.reason)}): {event.detail}", "bad")
