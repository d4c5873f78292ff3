"""Functions of an author's `utils`: they build, test and show worlds, and end the work."""

from collections.abc import Iterable
from typing import NoReturn

from contracts.events.benchmark import MAX_TESTED

from kernel.api.drafts.author_host import FILES, MAX_SEED, AuthorWorld, Certification, author_host


def write(path: str, text: str) -> None:
    """Write benchmark.yaml, environment.py or witness.py, as the tool `write_file` does, for models without tools."""
    host = author_host("write")
    if path not in FILES:
        raise ValueError(f"{path!r:.60} is not a file of a benchmark; write {', '.join(FILES)}")
    host.write(path, text)


def create(seed: int | None = None) -> AuthorWorld:
    """Build a world of the files in this kernel, print what was built and every refusal of the format, return it.

    Without a seed, 0 to 2147483647, it is the nominal world, as benchmark.yaml states it. `world.environment` are its
    solids, `world.benchmark` its zones and payloads, `world.faults` the refusals.
    """
    host = author_host("create")
    world = host.create(None if seed is None else _seed(seed))
    print(world.markdown)  # noqa: T201 - the agent reads it
    return world


def test(seeds: Iterable[int] = (0, 1)) -> Certification:  # noqa: PT028 - not one of pytest's
    """Have the worlds of 1 to 4 seeds built and certified as a draft's, print the verdicts, return them.

    Seeds are different, from 0 to 2147483647. The host reads the three files itself; nothing that this kernel built
    counts. Costs no draft, and is one experiment of the journal.
    """
    host = author_host("test")
    wanted = tuple(_seed(each) for each in ([seeds] if isinstance(seeds, int) else seeds))
    if not 1 <= len(wanted) <= MAX_TESTED or len(set(wanted)) < len(wanted):
        raise ValueError(f"seeds={wanted!r:.100}: give 1 to {MAX_TESTED} different ones, such as (0, 1)")
    certification = host.test(wanted)
    print(certification.markdown)  # noqa: T201 - the agent reads it
    return certification


test.__test__ = False  # pyright: ignore[reportFunctionMemberAccess] - not one of pytest's


def render(seed: int | None = None, *, machine: bool = False) -> None:
    """Show a picture of a world: solids, payloads, and frames of its zones; with `machine`, of the witness, too.

    Without a seed, 0 to 2147483647, of the nominal one.
    """
    host = author_host("render")
    world = host.create(None if seed is None else _seed(seed))
    if world.environment is None:
        raise ValueError(f"there is nothing to show: {'; '.join(world.faults)}")
    host.render(world, machine=machine)


def submit_for_review() -> NoReturn:
    """Submit benchmark.yaml, environment.py and witness.py as they are in the workspace, and end the cell.

    Raises an error with what is missing: an open item of todo.md, a test without an entry in journal.md, or a fault
    of the files.
    """
    author_host("submit_for_review").submit()


submit = submit_for_review
"""The same function under a shorter name."""


def refuse_plan(reason: str) -> NoReturn:
    """Give the approved plan up, because no world of it can be certified, and end the cell; plan again then."""
    host = author_host("refuse_plan")
    if not str(reason).strip():
        raise ValueError("refuse_plan needs a reason: write what of the plan cannot work, and what was measured")
    host.refuse(str(reason).strip())


def _seed(seed: object) -> int:
    if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed <= MAX_SEED:
        raise ValueError(f"seed={seed!r:.60}: give a whole number from 0 to {MAX_SEED}")
    return seed
