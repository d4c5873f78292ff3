"""What a run needs of this machine and of its servers; a module for each kind of thing that is looked at.

Each check is one function that changes nothing and returns a `Check`: fine, with a detail, or findings, each with what
was measured and a mend that works.
"""

from doctor.check import Check, CheckFailure
from doctor.run_checks import run_checks, run_server_checks

__all__ = ["Check", "CheckFailure", "run_checks", "run_server_checks"]
