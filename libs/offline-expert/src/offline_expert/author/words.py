"""What the author reads in a brief: families, the size of the ball and a level; and what it cannot express."""

import re
from collections.abc import Mapping
from typing import NamedTuple

FAMILY_WORDS: Mapping[str, str] = {
    "closed-ground": r"closed|forbidden|off.limits|keep.out|no.go|lava|restricted",
    "swinging-gate": r"gates?|doors?|swings?|swinging|pendulum",
    "gap": r"gaps?|ditch(?:es)?|chasm|canyon|trench|moat|ravine|river|bridge|pit",
    "sweeping-arm": r"sweep(?:s|er|ing)?|arms?|rotors?|rotating|windmill|propeller|turnstile|blades?",
    "high-wall": r"walls?|fences?|barriers?|hurdles?|over a block",
    "shelf": r"shelf|shelves|ledge|table|platform",
    "shuttle": r"shuttles?|sliders?|sliding|back and forth|to and fro|pistons?",
    "ridge": r"pillars?|columns?|posts?|ridges?|hills?|pegs?|slalom",
}
EXTRA_FAMILIES = ("closed-ground", "high-wall", "ridge")
"""What a higher level can add to a family."""
BALL_MM = (28.0, 42.0)
LEVEL_WORDS: Mapping[int, str] = {1: r"easy|simple|level 1", 2: r"medium|level 2", 3: r"hard|difficult|level 3"}
_NOT_BALLS = r"cubes?|box(?:es)?|crates?|cylinders?|eggs?|bottles?|cups?|dic?e|pucks?|coins?|rods?|tubes?|sheets?"
_NOT_DOWN = r"lift(?:s|ed|ing)?|rais(?:e|es|ed|ing)|climb(?:s|ing)?|upwards?|uphill|higher|push(?:es|ed|ing)?|throw\w*"
_MM = re.compile(r"(?<![\d.])(\d+(?:\.\d+)?)\s*(mm|cm|m)\b")
_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?:\s*(?:mm|cm|m|kg|g|usd|s|degrees?|deg|%))?(?!\w)")
_SCALE = {"mm": 1.0, "cm": 10.0, "m": 1000.0}


class Wish(NamedTuple):
    """What a brief asks for, as far as the author can build it."""

    families: tuple[str, ...] = ()
    """In the order in which they are named; the first one gives the world its name."""
    ball_mm: float | None = None
    level: int | None = None
    left_out: tuple[str, ...] = ()
    """Words that were read, and that the author cannot express."""


def read_wish(text: str) -> Wish:
    """Return what the words of a brief ask for."""
    words = text.lower()
    places = {name: found.start() for name, pattern in FAMILY_WORDS.items() if (found := _find(pattern, words))}
    ball_mm, used = _ball(words)
    left_out = [found[0] for pattern in (_NOT_BALLS, _NOT_DOWN) if (found := _find(pattern, words))]
    without_levels = re.sub(r"level \d", "", words)
    left_out += [each[0] for each in _NUMBER.finditer(without_levels) if each[0] != used]
    level = next((level for level, pattern in LEVEL_WORDS.items() if _find(pattern, words)), None)
    return Wish(tuple(sorted(places, key=places.__getitem__)), ball_mm, level, tuple(left_out))


def understood(text: str, level: int) -> list[str]:
    """Return what the author will build of a brief at a level, and what it leaves out, one sentence each."""
    wish = read_wish(text)
    main, *others = wish.families or ("",)
    extras = [each for each in others if each in EXTRA_FAMILIES][: level - 1]
    if not main:
        lines = [f"the text names no family that it knows, and is not used: each number takes one of {_all()} in turn"]
    else:
        lines = [f"it reads {' with '.join([main, *extras])} at level {level}"]
    size = "of a size that the number draws" if wish.ball_mm is None else f"of {wish.ball_mm:g} mm"
    lines.append(f"a ball {size} is led to a lower goal by gravity")
    if unread := [*(each for each in others if each not in extras), *wish.left_out]:
        lines.append(f"it cannot express: {', '.join(unread)}; that is left out. A language model can: --model")
    return lines


def _ball(words: str) -> tuple[float | None, str]:
    """Return the size of the ball, if one length is given that it can have, and the text of that length."""
    lengths = list(_MM.finditer(words))
    if len(lengths) != 1 or not _find(r"balls?|marbles?|spheres?", words):
        return None, ""
    size = float(lengths[0][1]) * _SCALE[lengths[0][2]]
    return (size, lengths[0][0]) if BALL_MM[0] <= size <= BALL_MM[1] else (None, "")


def _all() -> str:
    return ", ".join(FAMILY_WORDS)


def _find(pattern: str, words: str) -> re.Match[str] | None:
    return re.search(rf"\b(?:{pattern})\b", words)
