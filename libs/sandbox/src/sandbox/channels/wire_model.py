"""Models whose bytes cross between processes."""

from pydantic import BaseModel, ConfigDict


class WireModel(BaseModel):
    """A model that crosses between processes; its bytes are base64 in JSON."""

    model_config = ConfigDict(frozen=True, ser_json_bytes="base64", val_json_bytes="base64")
