"""Where pages are, beside the operations of the API."""

PAGES = "/pages"
ASSETS = f"{PAGES}/assets/"
SIGN_IN = f"{PAGES}/sign-in"
RUNS = f"{PAGES}/runs"
OWN_BENCHMARK = f"{PAGES}/own-benchmark"
ASK = f"{PAGES}/ask"
QUOTE = f"{PAGES}/quote"
QUOTES = f"{PAGES}/quotes"


def is_page(path: str) -> bool:
    """Return whether people look at this address, with a browser."""
    return path == "/" or path.startswith(f"{PAGES}/")
