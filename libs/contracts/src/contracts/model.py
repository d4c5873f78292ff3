"""What every value of the language is made of."""

from pydantic import BaseModel, ConfigDict


class Model(BaseModel):
    """A value of the language: frozen, and tolerant of fields it does not know yet.

    What is said of a field beneath it stands in its schema, too, and from there in docs/events.md.
    """

    model_config = ConfigDict(frozen=True, extra="ignore", use_attribute_docstrings=True)
