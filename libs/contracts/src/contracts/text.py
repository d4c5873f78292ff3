"""Text that every log and database can keep, whatever an agent printed."""


def storable(text: str) -> str:
    """Return the text without what UTF-8 or PostgreSQL cannot hold: lone surrogates and NUL become U+FFFD."""
    return text.encode("utf-8", "surrogatepass").decode("utf-8", "replace").replace("\x00", "\ufffd")


def shortened(text: str, head: int, tail: int = 0) -> str:
    """Return the text, or its first and last characters with the number of those between."""
    missing = len(text) - head - tail
    if missing <= 0:
        return text
    return f"{text[:head]}… ({missing} characters left out) …{text[len(text) - tail :]}"
