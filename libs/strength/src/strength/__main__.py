"""Reads analyses from standard input, one a line, and writes their outcomes: `python -m strength CPU_S MEMORY_MIB`."""

import sys

from strength.analysis import TooFineError, analyse
from strength.mesh import MeshError, UnreadableError
from strength.models import Analysis, Answer, Failure
from strength.process import limit_this_process
from strength.system import UnstableError


def outcome_of(line: str) -> Answer | Failure:
    """Return the outcome of one analysis."""
    try:
        return analyse(Analysis.model_validate_json(line))
    except UnreadableError as error:
        return Failure(reason="unreadable", detail=str(error))
    except MeshError as error:
        return Failure(reason="not_meshed", detail=str(error))
    except TooFineError as error:
        return Failure(reason="too_fine", detail=str(error))
    except UnstableError as error:
        return Failure(reason="unstable", detail=str(error))


def main() -> None:
    """Answer until the input ends."""
    limit_this_process(int(sys.argv[1]), int(sys.argv[2]))
    for line in sys.stdin:
        sys.stdout.write(outcome_of(line).model_dump_json() + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
