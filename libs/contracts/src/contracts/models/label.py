"""What things are called."""

from typing import Annotated

from pydantic import StringConstraints

Label = Annotated[str, StringConstraints(pattern=r"^[A-Za-z][A-Za-z0-9_-]{0,63}$")]
"""A name that is safe in files, Markdown and MJCF."""
