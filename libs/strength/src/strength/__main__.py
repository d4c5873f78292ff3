"""Reads analyses from standard input, one a line, and writes their outcomes: `python -m strength CPU_S MEMORY_MIB`."""

import os
import sys

from strength.analysis import TooFineError, analyse
from strength.mesh import MeshError, UnreadableSolidError
from strength.models import Analysis, AnalysisResult, Failure
from strength.process import limit_this_process
from strength.system import UnstableError


def outcome_of(line: str) -> AnalysisResult | Failure:
    """Return the outcome of one analysis."""
    try:
        return analyse(Analysis.model_validate_json(line))
    except UnreadableSolidError as error:
        return Failure(reason="unreadable", detail=str(error))
    except MeshError as error:
        return Failure(reason="not_meshed", detail=str(error))
    except TooFineError as error:
        return Failure(reason="too_fine", detail=str(error))
    except UnstableError as error:
        return Failure(reason="unstable", detail=str(error))


def main() -> None:
    """AnalysisResult until the input ends."""
    limit_this_process(int(sys.argv[1]), int(sys.argv[2]))
    outcomes = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # OCCT and Netgen print
    for line in sys.stdin:
        outcomes.write(outcome_of(line).model_dump_json() + "\n")
        outcomes.flush()


if __name__ == "__main__":
    main()
