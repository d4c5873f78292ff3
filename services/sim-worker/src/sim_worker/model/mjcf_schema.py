"""Whether a text is MJCF, by the schema that MuJoCo itself prints: all errors at once, with path and a guess.

The schema knows which elements and attributes exist and where, not their types: MuJoCo's compiler has the last word.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache
from xml.etree import ElementTree

from sim_worker.mujoco_api import mujoco

ROW = re.compile(r"^(?P<indent> *)(?P<world>\(world\))?(?P<name>\w+) \((?P<count>[!?*R])\) +(?P<attributes>.*)$")
"""`   geom (*)   adhesion axisangle ...`; of the world and the bodies in it: `(world)body (R)   ...`."""
INDENT = 3


@dataclass
class Element:
    """What may stand in an element."""

    attributes: set[str] = field(default_factory=set[str])
    children: dict[str, "Element"] = field(default_factory=dict[str, "Element"])


def problems(mjcf: str) -> list[str]:
    """Return what is wrong with elements and attributes, each with its path; nothing if all is well."""
    try:
        # The text is our own or MuJoCo's; nobody outside sends MJCF.
        root = ElementTree.fromstring(mjcf)  # noqa: S314
    except ElementTree.ParseError as error:
        return [f"no XML: {error}"]
    if root.tag != "mujoco":
        return [f"the root is <{root.tag}>, not <mujoco>"]
    return list(_problems(root, schema(), "mujoco"))


def _problems(found: ElementTree.Element, allowed: Element, path: str) -> Iterable[str]:
    for attribute in found.attrib:
        if attribute not in allowed.attributes:
            yield f"{path}: no attribute {attribute!r}{_guess(attribute, allowed.attributes)}"
    for place, child in enumerate(found):
        here = f"{path}/{child.tag}[{child.get('name', str(place))}]"
        if child.tag in allowed.children:
            yield from _problems(child, allowed.children[child.tag], here)
        else:
            yield f"{here}: no such element there{_guess(child.tag, allowed.children)}"


def _guess(word: str, known: Iterable[str]) -> str:
    close = get_close_matches(word, sorted(known), n=1)
    return f"; did you mean {close[0]!r}?" if close else ""


@cache
def schema() -> Element:
    """Return what may stand in `<mujoco>`, in the version of MuJoCo that is installed."""
    above: list[Element] = []
    for line in mujoco.mj_printSchema(False, False).splitlines():
        row = ROW.match(line)
        if row is None:
            above[-1].attributes.update(line.split())
            continue
        element = Element(set(row["attributes"].split()))
        del above[len(row["indent"]) // INDENT :]
        if above:
            above[-1].children["worldbody" if row["world"] else row["name"]] = element
        if row["count"] == "R":
            element.children[row["name"]] = element
        above.append(element)
    return above[0]
