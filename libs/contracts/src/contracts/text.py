"""Text from agents and programs, made safe to store and short enough to show."""

LINE_CHARS = 160
"""What fits on one line of a terminal."""


def storable(text: str) -> str:
    """Return the text with U+FFFD for what UTF-8 or PostgreSQL cannot store: lone surrogates and NUL."""
    return text.encode("utf-8", "surrogatepass").decode("utf-8", "replace").replace("\x00", "\ufffd")


def shortened(text: str, head: int, tail: int = 0) -> str:
    """Return the text, or its first and last characters with the number of characters left out between them."""
    missing = len(text) - head - tail
    if missing <= 0:
        return text
    return f"{text[:head]}… ({missing} characters left out) …{text[len(text) - tail :]}"


def one_line(text: str, chars: int = LINE_CHARS) -> str:
    """Return text as one line: white space joined, control characters escaped, the end cut off."""
    joined = " ".join(text.split())
    visible = "".join(letter if letter.isprintable() else f"\\x{ord(letter):02x}" for letter in joined)
    return visible if len(visible) <= chars else f"{visible[: chars - 1]}…"


def headline(markdown: str) -> str:
    """Return the first line of content; headings and verdict lines only when there is nothing else."""
    lines = [line.strip() for line in markdown.splitlines() if line.strip()]
    content = [line for line in lines if not line.startswith(("#", "VERDICT", "|", "```"))]
    return (content or lines or ["no output"])[0].lstrip("#-> ").replace("**", "").strip()


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, in the plural unless the number is 1."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def spaced(code: str) -> str:
    """Return a code such as `steps_exhausted` with spaces."""
    return code.replace("_", " ")
