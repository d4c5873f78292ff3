"""Text from agents and programs, made safe to store and short enough to show."""


def storable(text: str) -> str:
    """Return the text with U+FFFD for what UTF-8 or PostgreSQL cannot store: lone surrogates and NUL."""
    return text.encode("utf-8", "surrogatepass").decode("utf-8", "replace").replace("\x00", "\ufffd")


def shortened(text: str, head: int, tail: int = 0) -> str:
    """Return the text, or its first and last characters with the number of characters left out between them."""
    missing = len(text) - head - tail
    if missing <= 0:
        return text
    return f"{text[:head]}… ({missing} characters left out) …{text[len(text) - tail :]}"
