"""What clean children have computed about solids: the next one is told, so that only what has changed is done again."""

from collections import OrderedDict
from collections.abc import Collection, Mapping

from geometry.collision.results import CollisionGeometry

from cad_worker.job_protocol import DesignData, EnvironmentGeometry, ShapesBySource, solid_source

MAX_GEOMS = 30_000
"""A hundred parts of the largest kind, some tens of MB."""


def sources_of(design: DesignData, environment: EnvironmentGeometry) -> list[str]:
    """Return under which keys the solids of a design and its environment are known."""
    sources = [solid_source(part.brep) for part in design.parts]
    return sources + [solid_source(environment.brep, number) for number in range(len(environment.solids))]


class ShapeMemory:
    """Collision geometry by its source; the least recently used is forgotten first.

    Only clean children, which never ran agent code, may add to it: scenes for verdicts are made of it.
    """

    def __init__(self, max_geoms: int = MAX_GEOMS) -> None:
        self._max_geoms = max_geoms
        self._known: OrderedDict[str, CollisionGeometry] = OrderedDict()
        self._geoms = 0

    def about(self, design: DesignData, environment: EnvironmentGeometry) -> ShapesBySource:
        """Return what is known about the solids of a design and its environment."""
        return {source: self._used(source) for source in sources_of(design, environment) if source in self._known}

    def learn(self, computed: Mapping[str, CollisionGeometry], asked: Collection[str]) -> None:
        """Remember what a clean child has computed of the sources that it was asked about."""
        for source, geometry in computed.items():
            if source in asked and source not in self._known:
                self._known[source] = geometry
                self._geoms += len(geometry.geoms)
        while self._geoms > self._max_geoms and len(self._known) > 1:
            _, forgotten = self._known.popitem(last=False)
            self._geoms -= len(forgotten.geoms)

    def _used(self, source: str) -> CollisionGeometry:
        self._known.move_to_end(source)
        return self._known[source]
