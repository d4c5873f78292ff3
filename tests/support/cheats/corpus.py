"""The corpus: all cheats, and all honest designs near the same limits."""

from tests.support.cheats import arms, bearings, necks, releases, slides, trays
from tests.support.cheats.case import Case

CHEATS: tuple[Case, ...] = (
    *arms.CHEATS,
    *slides.CHEATS,
    *trays.CHEATS,
    *releases.CHEATS,
    *bearings.CHEATS,
    *necks.CHEATS,
)
HONEST: tuple[Case, ...] = (
    *arms.HONEST,
    *slides.HONEST,
    *trays.HONEST,
    *releases.HONEST,
    *bearings.HONEST,
    *necks.HONEST,
)


def case(label: str) -> Case:
    """Return the case with a label."""
    (found,) = (each for each in (*CHEATS, *HONEST) if each.label == label)
    return found
