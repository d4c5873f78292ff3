"""What every value of the language is made of."""

from pydantic import BaseModel, ConfigDict


class Model(BaseModel):
    """A value of the language: frozen, and tolerant of fields it does not know yet."""

    model_config = ConfigDict(frozen=True, extra="ignore")
