"""Observations from what a kernel reports: shortened and without characters that the event log cannot store."""

import signal

from contracts.models.observation import CellError, Observation, Variable
from contracts.text import shortened, storable
from kernel.runtime.variables import MAX_VARIABLES

from cad_worker.session_protocol import CellDone


def observation_of(done: CellDone, printed: tuple[str, int], elapsed_s: float) -> Observation:
    """Return the observation of a cell that has ended; `printed` is the shown text and the true length."""
    report = done.report
    output, chars = printed
    if done.late_chars:
        output += f"\n… ({done.late_chars} characters that threads of earlier cells printed are left out)\n"
    status = "refused" if report.refused else "error" if report.error is not None else "ok"
    return Observation(
        status=status,
        output=output,
        output_chars=chars,
        error=None if report.error is None else _storable_error(report.error),
        variables=tuple(_storable_variable(each) for each in report.variables[:MAX_VARIABLES]),
        variables_left_out=report.variables_left_out,
        elapsed_s=elapsed_s,
    )


def interrupted(observation: Observation, timeout_s: float) -> Observation:
    """Return the observation of a cell that was interrupted at its time limit, with the line that it had reached."""
    message = f"the cell was interrupted after {timeout_s:g} s; variables are kept. Make it shorter, or split it."
    reached = observation.error or CellError(type="", message="")
    error = CellError(type="CellTimeout", message=message, line=reached.line, traceback=reached.traceback)
    return observation.model_copy(update={"status": "timeout", "error": error})


def cause_of_death(exit_code: int) -> str:
    """Return how a kernel died; negative exit codes are signals."""
    if exit_code >= 0:
        return f"its process ended (exit code {exit_code})"
    names = {each.value: each.name for each in signal.Signals}  # most real-time signals have none
    return f"its process was killed by {names.get(-exit_code, f'signal {-exit_code}')}"


def _storable_error(error: CellError) -> CellError:
    return CellError(
        type=shortened(storable(error.type), 100),
        message=shortened(storable(error.message), 2000),
        line=error.line,
        traceback=shortened(storable(error.traceback), 2000, 2000),
    )


def _storable_variable(variable: Variable) -> Variable:
    return Variable(
        name=shortened(storable(variable.name), 100),
        type=shortened(storable(variable.type), 100),
        summary=shortened(storable(variable.summary), 200),
        change=variable.change,
        fingerprint=shortened(storable(variable.fingerprint), 64),
    )
