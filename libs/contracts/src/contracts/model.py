"""The base class of all values in contracts."""

from collections.abc import Mapping
from typing import Any, Self

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

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """Return a copy with changed fields; other than pydantic's, it validates them.

        Raises `pydantic.ValidationError` for a value, and `TypeError` for a name, that the class does not permit.
        """
        if not update:
            return super().model_copy(deep=deep)
        names = type(self).model_fields.keys()
        if unknown := update.keys() - names:
            raise TypeError(f"{type(self).__name__} has no field {', '.join(sorted(unknown))}")
        return type(self).model_validate({name: getattr(self, name) for name in names} | dict(update))
