"""Checks of a run's requirements: the machine, its programs and folders, the sandbox, graphics, servers and models.

Each check is one function that changes nothing and returns a `Check`: passed, with a detail, or failed, with what was
measured and how to fix it.
"""

from doctor.check import Check, CheckFailure
from doctor.check_runner import run_checks, run_deployment_checks, run_server_checks

__all__ = ["Check", "CheckFailure", "run_checks", "run_deployment_checks", "run_server_checks"]
