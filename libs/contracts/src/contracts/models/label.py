"""Names of parts, zones, joints and benchmarks."""

from typing import Annotated

from pydantic import StringConstraints

Label = Annotated[str, StringConstraints(pattern=r"^[A-Za-z][A-Za-z0-9_-]{0,63}$")]
"""A name that is safe in file names, Markdown and MJCF."""


def label_from(text: str) -> str:
    """Return a name that an agent wrote with `_` for blanks: `leg 1` names the same thing as `leg_1`."""
    return "_".join(text.split())
