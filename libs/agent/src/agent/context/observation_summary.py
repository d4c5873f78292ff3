"""Short form of a cell's observation for later prompts, and the pictures that go with an observation."""

from contracts.models.conversation import Picture
from contracts.models.observation import CellError, Observation, Recovery, ShownImage
from contracts.text import shortened

_PURPOSE_CHARS, _MESSAGE_CHARS = 120, 160
_MAX_NAMES = 20


def summarize_observation(observation: Observation, purpose: str) -> str:
    """Return purpose and ending of the cell in one line; then a line each for variables, pictures and losses."""
    lines = [f"{_first_line(purpose, _PURPOSE_CHARS)}: {_ending(observation)}"]
    for change in ("new", "changed", "lost"):
        names = [each.name for each in observation.variables if each.change == change]
        if names:
            lines.append(f"{change}: {_listed(names)}")
    if observation.images:
        lines.append(f"showed: {_listed([picture_of(image).caption for image in observation.images])}")
    if observation.recovery is not None:
        lines.append(_recovery(observation.recovery))
    return "\n".join(lines)


def stop_line(observation: Observation) -> int | None:
    """Return the 1-based line at which the cell stopped; None if it ran to its end or was never started."""
    if observation.error is None or observation.status not in ("error", "timeout"):
        return None
    return observation.error.line or None


def picture_of(shown: ShownImage) -> Picture:
    """Return an image that a cell showed as a message carries it; its caption holds the id for `recall`."""
    caption = f"{shown.id}: {shown.label}" if shown.id else shown.label
    size = {"width_px": shown.width_px, "height_px": shown.height_px}
    return Picture(caption=caption, artifact=shown.artifact, shows=shown.shows, **size)


def _ending(observation: Observation) -> str:
    return observation.status if observation.error is None else f"{observation.status}, {_error(observation.error)}"


def _error(error: CellError) -> str:
    line = f" in line {error.line}" if error.line else ""
    return f"{error.type}{line}: {_first_line(error.message, _MESSAGE_CHARS)}"


def _recovery(recovery: Recovery) -> str:
    gone = [*recovery.lost, *recovery.different]
    return f"the kernel was another one from here on; lost or different: {_listed(gone) if gone else 'nothing'}"


def _first_line(text: str, chars: int) -> str:
    return shortened(next(iter(text.strip().splitlines()), ""), chars)


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - _MAX_NAMES} more" if len(names) > _MAX_NAMES else ""
    return ", ".join(f"`{name}`" for name in names[:_MAX_NAMES]) + more
