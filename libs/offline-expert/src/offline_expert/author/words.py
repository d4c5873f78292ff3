"""What the author reads in a brief: families, lengths and a level; and what it cannot express."""

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
LENGTHS: Mapping[str, tuple[str, tuple[float, float]]] = {
    "ball": (r"balls?|marbles?|spheres?", BALL_MM),
    "gap": (FAMILY_WORDS["gap"], (40.0, 200.0)),
    "high-wall": (FAMILY_WORDS["high-wall"] + "|high|tall", (40.0, 200.0)),
    "distance": (r"away|apart|distance|far|from (?:the )?start|to (?:the )?goal", (240.0, 600.0)),
}
"""By what is that long: the words beside which a length is read, and the lengths in mm that a world can have."""
LEVEL_WORDS: Mapping[int, str] = {1: r"easy|simple|level 1", 2: r"medium|level 2", 3: r"hard|difficult|level 3"}
_NOT_LONG = r"lift(?:s|ed|ing)?|rais(?:e|es|ed|ing)|climb(?:s|ing)?|upwards?|uphill|higher|push(?:es|ed|ing)?|throw\w*"
"""What a length beside it is not the size of a thing."""
_OTHER_WORDS = """\
a across after along an and are around at avoid avoiding avoids away back be before behind below benchmark beneath
beside between beyond big bottom bring brings build built by challenge comes create creates cross crosses crossing
deep design diameter distance down downhill downwards drop drops each end ends fall falls far find finds floor for
forth fro from get gets go goal goes gravity ground has have in inside into invent is it its large lead leads led let
level little long low lower machine make mouth move moves must my narrow near need needs obstacle obstacles of off on
onto or other out outside over pass passes past path place please problem puzzle reach reaches rest rests roll rolling
rolls round route run runs safely short should side size small some something start starting starts stay staying stays
still stop stops take takes target task that the then there thing this through to top toward towards track travel
travels turns up use uses very want wants way we where which while wide width with world you your zone
"""
"""Of a brief: they ask for nothing, or for what every world of the author has."""
_WORD = re.compile(r"[^\W\d_]+")
_MM = re.compile(r"(?<![\d.])(\d+(?:\.\d+)?)\s*(mm|cm|m)\b")
_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?:\s*(?:mm|cm|m|kg|g|usd|s|degrees?|deg|%))?(?!\w)")
_CLAUSE = re.compile(r"(?:[;.:]|,(?!\s*\d))(?=\s|$)|\b(?:and|then|over|across|into)\b")
_BY = re.compile(r"\b(?:by|up)\s+$")
_SCALE = {"mm": 1.0, "cm": 10.0, "m": 1000.0}


class BriefReading(NamedTuple):
    """What a brief asks for, as far as the author can build it."""

    families: tuple[str, ...] = ()
    """In the order in which they are named; the first one gives the world its name."""
    lengths_mm: Mapping[str, float] = {}
    """By what is that long: see `LENGTHS`."""
    level: int | None = None
    left_out: tuple[str, ...] = ()
    """Words that were read, and that the author cannot express."""


def read_brief(text: str) -> BriefReading:
    """Return what the words of a brief ask for."""
    words = text.lower()
    places = {name: found.start() for name, pattern in FAMILY_WORDS.items() if (found := _find(pattern, words))}
    level = next((level for level, pattern in LEVEL_WORDS.items() if _find(pattern, words)), None)
    lengths_mm, unread = _lengths(re.sub(r"level [123]\b", "", words))
    left_out = (*_unknown(words), *unread)
    return BriefReading(tuple(sorted(places, key=places.__getitem__)), lengths_mm, level, left_out)


def understood(text: str, level: int) -> list[str]:
    """Return what the author will build of a brief at a level, and what it leaves out, one sentence each."""
    reading = read_brief(text)
    main, *others = reading.families or ("",)
    extras = [each for each in others if each in EXTRA_FAMILIES][: level - 1]
    if not main:
        lines = [f"the text names no family that it knows: each number takes one of {_all()} in turn"]
    else:
        lines = [f"it reads {' with '.join([main, *extras])} at level {level}"]
    sizes = [f"{name} {length:g} mm" for name, length in reading.lengths_mm.items()]
    drawn = "with ".join(["", ", ".join(sizes) + ", "]) if sizes else ""
    lines.append(f"a ball is led to a lower goal by gravity, {drawn}other lengths by the number")
    if unread := inexpressible(text, level):
        lines.append(f"it cannot express: {', '.join(unread)}")
    return lines


def inexpressible(text: str, level: int) -> list[str]:
    """Return what a brief asks for that the author cannot build at a level."""
    reading = read_brief(text)
    built = {*reading.families[:1], *[each for each in reading.families[1:] if each in EXTRA_FAMILIES][: level - 1]}
    return [*(each for each in reading.families if each not in built), *reading.left_out]


def _unknown(words: str) -> list[str]:
    """Return the words that the author does not know, each once."""
    known = [*FAMILY_WORDS.values(), *(pattern for pattern, _ in LENGTHS.values()), *LEVEL_WORDS.values()]
    rest = _NUMBER.sub(" ", re.sub(rf"\b(?:{'|'.join(known)})\b", " ", words))
    return [word for word in dict.fromkeys(_WORD.findall(rest)) if word not in _OTHER_WORDS.split()]


def _lengths(words: str) -> tuple[dict[str, float], list[str]]:
    """Return the lengths that worlds can have, by what is that long, and all other numbers."""
    found: dict[str, float] = {}
    left_out: list[str] = []
    for number in _NUMBER.finditer(words):
        length = _MM.fullmatch(number[0])
        name = _nearest(words, number) if length else ""
        if length is None or not name or name in found:
            left_out.append(number[0])
            continue
        size, (least, most) = float(length[1]) * _SCALE[length[2]], LENGTHS[name][1]
        if least <= size <= most:
            found[name] = size
        else:
            left_out.append(f"{name} {number[0]} (only {least:g} to {most:g} mm)")
    if "gap" in found and "distance" in found:
        left_out.append(f"distance {found.pop('distance'):g} mm beside the gap's length, which determines it")
    return found, left_out


def _nearest(words: str, number: re.Match[str]) -> str:
    """Return what a length belongs to, by the nearest word of its clause; empty if a world cannot have it."""
    if _BY.search(words, 0, number.start()):
        return ""  # by that much something moves; no thing is that long
    ends = [(each.start(), each.end()) for each in _CLAUSE.finditer(words)]
    begin = max((end for _, end in ends if end <= number.start()), default=0)
    end = next((start for start, _ in ends if start >= number.end()), len(words))
    patterns = {"": _NOT_LONG, **{name: pattern for name, (pattern, _) in LENGTHS.items()}}
    distances = {
        max(place.start() - number.end(), number.start() - place.end()): name
        for name, pattern in patterns.items()
        for place in re.compile(rf"\b(?:{pattern})\b").finditer(words, begin, end)
    }
    return distances[min(distances)] if distances else ""


def _all() -> str:
    return ", ".join(FAMILY_WORDS)


def _find(pattern: str, words: str) -> re.Match[str] | None:
    return re.search(rf"\b(?:{pattern})\b", words)
