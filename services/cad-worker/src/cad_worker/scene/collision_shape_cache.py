"""Collision geometry that clean children have computed, kept so that the next child computes only what has changed."""

from collections import OrderedDict
from collections.abc import Collection, Mapping

from design_rules.design_data import DesignData, EnvironmentGeometry, ShapesBySource, solid_source
from geometry.collision.results import CollisionGeometry

MAX_GEOMS = 30_000
"""A hundred parts of the largest kind, some tens of MB."""


def sources_of_design(design: DesignData) -> list[str]:
    """Return the keys of the solids of a design."""
    return [solid_source(part.brep) for part in design.parts]


def sources_of_environment(environment: EnvironmentGeometry) -> list[str]:
    """Return the keys of the solids of an environment."""
    return [solid_source(environment.brep, number) for number in range(len(environment.solids))]


class CollisionShapeCache:
    """Collision geometry by source; the least recently used is dropped first.

    Only clean children, which never ran agent code, may add to it: scenes for verdicts are made from it.
    """

    def __init__(self, max_geoms: int = MAX_GEOMS) -> None:
        self._max_geoms = max_geoms
        self._known: OrderedDict[str, CollisionGeometry] = OrderedDict()
        self._geoms = 0

    def known_shapes(self, design: DesignData, environment: EnvironmentGeometry) -> ShapesBySource:
        """Return what is known about the solids of a design and its environment."""
        sources = sources_of_design(design) + sources_of_environment(environment)
        return {source: self._used(source) for source in sources if source in self._known}

    def has_any(self, sources: Collection[str]) -> bool:
        """Tell whether one of these is known, or there is none."""
        return not sources or any(source in self._known for source in sources)

    def add(self, computed: Mapping[str, CollisionGeometry], requested: Collection[str]) -> None:
        """Keep what a clean child has computed for the sources that were requested of it."""
        for source, geometry in computed.items():
            if source in requested and source not in self._known:
                self._known[source] = geometry
                self._geoms += len(geometry.geoms)
        while self._geoms > self._max_geoms and len(self._known) > 1:
            _, dropped = self._known.popitem(last=False)
            self._geoms -= len(dropped.geoms)

    def _used(self, source: str) -> CollisionGeometry:
        self._known.move_to_end(source)
        return self._known[source]
