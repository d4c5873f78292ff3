"""Text that fits on one line of a terminal."""

from contracts.models.benchmark import Limits

LINE_CHARS = 160


def one_line(text: str, chars: int = LINE_CHARS) -> str:
    """Return text as one line: white space joined, control characters escaped, the end cut off."""
    joined = " ".join(text.split())
    visible = "".join(letter if letter.isprintable() else f"\\x{ord(letter):02x}" for letter in joined)
    return visible if len(visible) <= chars else f"{visible[: chars - 1]}…"


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, in the plural unless the number is 1."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def limits_text(limits: Limits) -> str:
    """Return the limits of price, mass and parts that are set."""
    parts = [
        f"≤ {limits.max_unit_price_usd:g} USD" if limits.max_unit_price_usd is not None else "",
        f"≤ {limits.max_mass_kg:g} kg" if limits.max_mass_kg is not None else "",
        f"≤ {limits.max_parts} parts" if limits.max_parts is not None else "",
    ]
    return ", ".join(filter(None, parts)) or "no limits"


def headline(markdown: str) -> str:
    """Return the first line of content; headings and verdict lines only when there is nothing else."""
    lines = [line.strip() for line in markdown.splitlines() if line.strip()]
    content = [line for line in lines if not line.startswith(("#", "VERDICT", "|", "```"))]
    return (content or lines or ["no output"])[0].lstrip("#-> ").replace("**", "").strip()
