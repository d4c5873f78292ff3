"""From the variables that name servers to the settings of those who speak to them."""

from collections.abc import Mapping
from typing import Any, TypeVar

from artifacts.settings import S3Settings
from chassis.settings import BusSettings
from pydantic import ValidationError
from store.settings import DatabaseSettings, RetentionSettings

from local_stack.errors import UserError

Kind = TypeVar("Kind", BusSettings, S3Settings, DatabaseSettings, RetentionSettings)


def settings_from(kind: type[Kind], environment: Mapping[str, str]) -> Kind:
    """Return settings from these variables and, for what they leave out, from our own environment."""
    given: dict[str, Any] = {name.lower(): value for name, value in environment.items()}
    try:
        return kind(**given)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        raise UserError(f"{str(first['loc'][0]).upper()}: {first['msg'].removeprefix('Value error, ')}") from error
