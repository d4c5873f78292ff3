"""What other installed packages add to Millwright: their entry points, by group (docs/extensions.md)."""

from collections.abc import Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Literal, get_args

Group = Literal[
    "millwright.methods", "millwright.benchmarks", "millwright.model_providers", "millwright.perception_models"
]
GROUPS: tuple[Group, ...] = get_args(Group)


class ExtensionError(Exception):
    """An installed package does not add what its entry point announces; the message names package and entry point."""

    def __init__(self, point: EntryPoint, problem: str) -> None:
        package = point.dist.name if point.dist else "a package"
        super().__init__(f"{package} announces {point.group}: {point.name} = {point.value}, but {problem}")


@cache
def extensions(group: Group) -> Mapping[str, EntryPoint]:
    """Return the entry points of a group by name; raise `ExtensionError` for a name that two packages use."""
    found: dict[str, EntryPoint] = {}
    for point in sorted(entry_points(group=group), key=lambda each: (each.name, each.value)):
        if point.name in found:
            raise ExtensionError(point, f"{found[point.name].value} has that name, too: uninstall one of them")
        found[point.name] = point
    return found


def load_extension(point: EntryPoint) -> object:
    """Return what an entry point names; raise `ExtensionError` if it cannot be imported."""
    try:
        return point.load()
    except (ImportError, AttributeError) as error:
        raise ExtensionError(point, f"it cannot be imported: {error}; repair or uninstall it") from error


def extending_packages() -> list[str]:
    """Return name and version of each package that adds something."""
    points = (point for group in GROUPS for point in extensions(group).values())
    return sorted({f"{point.dist.name} {point.dist.version}" for point in points if point.dist})
