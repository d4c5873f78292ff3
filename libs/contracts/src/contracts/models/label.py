"""Names of parts, zones, joints and benchmarks."""

from typing import Annotated

from pydantic import StringConstraints

Label = Annotated[str, StringConstraints(pattern=r"^[A-Za-z][A-Za-z0-9_-]{0,63}$")]
"""A name that is safe in file names, Markdown and MJCF."""
