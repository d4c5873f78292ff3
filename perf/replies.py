"""Share of the reply corpus that is read right: `./run perf replies`.

See `tests.support.reply_corpus`. Exit code 1 if fewer than 95 % of the clear replies are read with their meaning, or an
ambiguous one is not refused with the words that help.
"""

import sys
from collections import Counter

from tests.support.reply_corpus import cases, problem_of, recorded_problem, recorded_replies

MIN_SHARE = 0.95


def main() -> int:
    """Print a row per kind of reply."""
    clear, ambiguous, recorded = cases("accepted"), cases("ambiguous"), recorded_replies()
    kinds = Counter(case["kind"] for case in clear)
    right = Counter(case["kind"] for case in clear if not problem_of(case))
    refused = [case for case in ambiguous if case["words"] in problem_of(case)]
    read = [reply for reply in recorded if not recorded_problem(reply)]
    rows = [(f"clear: {kind}", right[kind], kinds[kind]) for kind in kinds]
    rows += [("clear, all", right.total(), len(clear))]
    rows += [("ambiguous, refused with the right words", len(refused), len(ambiguous))]
    rows += [("recorded, read", len(read), len(recorded))]
    sys.stdout.write("| replies | right | of |\n| --- | ---: | ---: |\n")
    sys.stdout.write("".join(f"| {name} | {count} | {total} |\n" for name, count, total in rows))
    return 0 if right.total() >= MIN_SHARE * len(clear) and len(refused) == len(ambiguous) else 1


if __name__ == "__main__":
    sys.exit(main())
