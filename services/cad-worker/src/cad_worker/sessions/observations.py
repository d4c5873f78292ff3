"""What the host makes of a kernel's report: an observation that every log can keep, whatever the kernel sent."""

import signal

from contracts.models.observation import CellError, Observation, Variable
from contracts.text import shortened, storable
from kernel.runtime.variables import MAX_VARIABLES

from cad_worker.session_protocol import CellDone


def _cleaned_error(error: CellError) -> CellError:
    """Return the error as every log can keep it: a kernel may send anything."""
    return CellError(
        type=shortened(storable(error.type), 100),
        message=shortened(storable(error.message), 2000),
        line=error.line,
        traceback=shortened(storable(error.traceback), 2000, 2000),
    )


def _cleaned_variable(variable: Variable) -> Variable:
    return Variable(
        name=shortened(storable(variable.name), 100),
        type=shortened(storable(variable.type), 100),
        summary=shortened(storable(variable.summary), 200),
        change=variable.change,
        fingerprint=shortened(storable(variable.fingerprint), 64),
    )


def observation_of(done: CellDone, printed: tuple[str, int], elapsed_s: float) -> Observation:
    """Return the observation of a cell that came to its end; `printed` is text and true length."""
    report = done.report
    output, chars = printed
    if done.late_chars:
        output += f"\n… ({done.late_chars} characters that threads of earlier cells printed are left out)\n"
    status = "refused" if report.refused else "error" if report.error is not None else "ok"
    return Observation(
        status=status,
        output=output,
        output_chars=chars,
        error=None if report.error is None else _cleaned_error(report.error),
        variables=tuple(_cleaned_variable(each) for each in report.variables[:MAX_VARIABLES]),
        variables_left_out=report.variables_left_out,
        elapsed_s=elapsed_s,
    )


def interrupted(observation: Observation, timeout_s: float) -> Observation:
    """Return the observation of a cell that was stopped, with the place where it was then."""
    message = f"the cell was interrupted after {timeout_s:g} s; variables are kept. Make it shorter, or split it."
    where = observation.error or CellError(type="", message="")
    error = CellError(type="CellTimeout", message=message, line=where.line, traceback=where.traceback)
    return observation.model_copy(update={"status": "timeout", "error": error})


def death(code: int) -> str:
    """Say how a kernel died; negative codes are signals."""
    if code >= 0:
        return f"its process ended (exit code {code})"
    names = {each.value: each.name for each in signal.Signals}  # most real-time signals have none
    return f"its process was killed by {names.get(-code, f'signal {-code}')}"
