"""Validation of MJCF against the schema that MuJoCo prints: all errors at once, with path and suggestion.

The schema lists elements and attributes, not their types: MuJoCo's compiler has the last word.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache
from xml.etree import ElementTree

from sim_worker.mujoco_api import mujoco

ROW = re.compile(r"^(?P<indent> *)(?P<world>\(world\))?(?P<name>\w+) \((?P<count>[!?*R])\) +(?P<attributes>.*)$")
"""`   geom (*)   adhesion axisangle ...`; of the world and its bodies: `(world)body (R)   ...`."""
INDENT = 3


@dataclass
class Element:
    """Attributes and children that an element may have."""

    attributes: set[str] = field(default_factory=set[str])
    children: dict[str, "Element"] = field(default_factory=dict[str, "Element"])


def schema_errors(mjcf: str) -> list[str]:
    """Return all wrong elements and attributes, each with its path; an empty list if there are none."""
    try:
        # The text comes from this package or from MuJoCo, never from outside.
        root = ElementTree.fromstring(mjcf)  # noqa: S314
    except ElementTree.ParseError as error:
        return [f"not XML: {error}"]
    if root.tag != "mujoco":
        return [f"the root is <{root.tag}>, not <mujoco>"]
    return list(_errors(root, schema(), "mujoco"))


def _errors(found: ElementTree.Element, allowed: Element, path: str) -> Iterable[str]:
    for attribute in found.attrib:
        if attribute not in allowed.attributes:
            yield f"{path}: no attribute {attribute!r}{_suggestion(attribute, allowed.attributes)}"
    for index, child in enumerate(found):
        child_path = f"{path}/{child.tag}[{child.get('name', str(index))}]"
        if child.tag in allowed.children:
            yield from _errors(child, allowed.children[child.tag], child_path)
        else:
            yield f"{child_path}: no such element there{_suggestion(child.tag, allowed.children)}"


def _suggestion(name: str, known: Iterable[str]) -> str:
    close = get_close_matches(name, sorted(known), n=1)
    return f"; did you mean {close[0]!r}?" if close else ""


@cache
def schema() -> Element:
    """Return the schema of `<mujoco>` in the installed version of MuJoCo."""
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
