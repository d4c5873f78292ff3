"""Other names of what is sold: the seed's ids where a table has its own, and a ball bearing's bare code."""

from collections.abc import Mapping
from functools import cache

from parts_catalog.seed import SAME_AS_SEED, seed_rows


def canonical(part_id: str) -> str:
    """Return the id that a name leads to, in lower case; a name that is no alias is its own."""
    wanted = part_id.lower()
    return aliases().get(wanted, wanted)


def aliases_of(part_id: str) -> tuple[str, ...]:
    """Return all other names of a part."""
    return tuple(alias for alias, own in aliases().items() if own == part_id)


@cache
def aliases() -> Mapping[str, str]:
    """Return every alias with the id that it leads to."""
    own = {seed_id: table_id for table_id, seed_id in SAME_AS_SEED.items()}
    codes = {str(row.spec["code"]): own.get(row.id, row.id) for row in seed_rows() if row.category == "bearing"}
    return {**own, **codes}
