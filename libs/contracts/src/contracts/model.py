"""The base class of all values in contracts."""

from pydantic import BaseModel, ConfigDict


class Model(BaseModel):
    """A frozen value that ignores unknown fields, so that older readers accept newer messages.

    Its numbers are finite: JSON has no infinity, so that a value with one could be published but never read.

    The docstring below a field becomes its description in the JSON schema and in docs/events.md.
    """

    model_config = ConfigDict(
        frozen=True,
        extra="ignore",
        use_attribute_docstrings=True,
        allow_inf_nan=False,
        defer_build=True,  # a process uses few of the classes, and builds those
    )
