"""A job that runs code given as text. Children import it as the top-level module `untrusted_code`."""

import io
from contextlib import redirect_stdout
from pathlib import Path

from pydantic import BaseModel
from sandbox.host import job_programs
from sandbox.jobs import Job
from sandbox.watchdog import Allowance


class Code(BaseModel):
    """Code to run."""

    text: str


class Printed(BaseModel):
    """What the code printed."""

    text: str


def run_code(code: Code) -> Printed:
    """Run the code in an empty namespace."""
    with redirect_stdout(io.StringIO()) as printed:
        exec(code.text, {})
    return Printed(text=printed.getvalue())


RUN_CODE = Job("untrusted_code:run_code", Code, Printed)
PROGRAMS = job_programs([RUN_CODE], Path(__file__).parent)
ALLOWANCE = Allowance(memory_mib=300, threads=20, disk_mib=16, entries=100)
"""Low limits."""
