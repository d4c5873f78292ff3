"""What is kept of the sizes of a machine's parts, and how often deviations within that sum up to more than a gap."""

from collections.abc import Sequence

import numpy as np
from parts_catalog.pricing.tolerances import made_tolerance_mm

from build_package.machine import MadePart

BOUGHT_MM = 0.02
"""[E] shafts and bores of bought parts."""
DRAWS, SEED = 10_000, 46
"""Of machines whose sizes are drawn."""


def share_beyond(room_mm: float, links_mm: Sequence[float]) -> float:
    """Return the share of machines in which deviations, each drawn evenly within its limits, sum up to more."""
    drawn = np.random.default_rng(SEED).uniform(-1.0, 1.0, (DRAWS, len(links_mm))) @ np.array(links_mm)
    return float((drawn > room_mm).mean())


def tolerance_mm(part: MadePart | None, size_mm: float) -> float:
    """Return by how much a size of a part may differ to either side; None: it is bought."""
    if part is None:
        return BOUGHT_MM
    return made_tolerance_mm(part.line.method, part.material, part.tolerance_class, size_mm)
