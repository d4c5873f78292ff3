"""A request for parts, parsed from text: a kind of part, and figures with units."""

import re
from typing import NamedTuple

_NUMBER = r"(\d+(?:[.,]\d+)?)\s*"
_KINDS = (
    ("servo", r"\bservos?\b"),
    ("stepper", r"\bsteppers?\b|\bnema\b"),
    ("motor", r"motors?\b|\bdrives?\b|\bactuators?\b"),
    ("nut", r"\bnuts?\b"),
    ("washer", r"\bwashers?\b"),
    ("screw", r"\bscrews?\b|\bbolts?\b|\bfasteners?\b|\bM\d"),
    ("bearing", r"\bbearings?\b|\b6\d\d\d?(?:zz)?\b"),
    ("sprocket", r"\bsprockets?\b|\bchain ?wheels?\b"),
    ("gear", r"\bgears?\b|\bpinions?\b|\bcogs?\b"),
)
"""The first match counts: a gear motor is a motor."""
_TORQUE_UNITS = {"m": 1e-3, "": 1.0}
_KG_CM = 0.0980665
_RPM = 0.10471975511965977


class PartRequest(NamedTuple):
    """A request with the figures that its text contains; None for the others."""

    text: str
    limit: int
    kind: str
    voltage_v: float | None
    torque_n_m: float | None
    speed_rad_s: float | None
    max_usd: float | None
    thread_mm: float | None
    length_mm: float | None
    bore_mm: float | None
    bearing_code: str
    teeth: int | None
    module_mm: float | None
    is_brief: bool
    """Whether the torque is needed for short times only."""


def parse_request(text: str, limit: int) -> PartRequest:
    """Return the request in a text."""
    thread = re.search(r"\bM(\d+(?:\.\d+)?)(?:\s*[xX*]\s*(\d+(?:\.\d+)?))?", text)
    code = re.search(r"\b(6\d\d\d?)(?:zz|-?2rs)?\b", text, re.IGNORECASE)
    teeth = re.search(r"\b(\d+)\s*(?:teeth|tooth)|\bz\s?(\d+)\b", text, re.IGNORECASE)
    return PartRequest(
        text=text,
        limit=limit,
        kind=_kind(text),
        voltage_v=_first(text, _NUMBER + r"(?:V|volts?)\b"),
        torque_n_m=_torque(text),
        speed_rad_s=_speed(text),
        max_usd=_first(text, _NUMBER + r"(?:USD|dollars?)\b") or _first(text, r"\$\s*" + _NUMBER),
        thread_mm=float(thread[1]) if thread else None,
        length_mm=float(thread[2]) if thread and thread[2] else _first(text, _NUMBER + r"mm\b(?!\s*(?:bore|shaft))"),
        bore_mm=_first(text, _NUMBER + r"mm\s*(?:bore|shaft)") or _first(text, r"bore\s*(?:of\s*)?" + _NUMBER),
        bearing_code=code[1] if code else "",
        teeth=int(teeth[1] or teeth[2]) if teeth else None,
        module_mm=_first(text, r"module\s*" + _NUMBER),
        is_brief=bool(re.search(r"\bpeak|\bbrief|\bstall|\bshort|\bmoment", text, re.IGNORECASE)),
    )


def _kind(text: str) -> str:
    named = next((kind for kind, pattern in _KINDS if re.search(pattern, text, re.IGNORECASE)), "")
    return named or ("motor" if _torque(text) or _speed(text) else "")


def _first(text: str, pattern: str) -> float | None:
    found = re.search(pattern, text, re.IGNORECASE)
    return float(found[1].replace(",", ".")) if found else None


def _torque(text: str) -> float | None:
    found = re.search(_NUMBER + r"(m?)N\s*[·*.-]?\s*m\b", text)
    if found:
        return float(found[1].replace(",", ".")) * _TORQUE_UNITS[found[2]]
    kg_cm = _first(text, _NUMBER + r"kgf?\s*[·*.-]?\s*cm\b")
    return None if kg_cm is None else kg_cm * _KG_CM


def _speed(text: str) -> float | None:
    rad_s = _first(text, _NUMBER + r"rad\s*/\s*s")
    if rad_s is not None:
        return rad_s
    rpm = _first(text, _NUMBER + r"(?:rpm|rev/min)\b")
    return None if rpm is None else rpm * _RPM
