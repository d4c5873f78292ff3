"""Weights on this machine: one folder for each model, filled by `fetch` alone, with a note of where they are from."""

# pyright: reportMissingImports=false, reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false
# the hub's client is part of the extra `models`

from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from perception_server.models.interface import ModelCard, ModelError

NOTE = "millwright.json"
FILES = ("*.json", "*.safetensors", "*.txt", "*.model")


class WeightsNote(BaseModel):
    """What a folder contains."""

    model_config = ConfigDict(frozen=True)

    repository: str
    revision: str
    """A commit of it."""
    licence: str


def folder_of(card: ModelCard, weights: Path) -> Path:
    """Return the folder of a model's weights."""
    return weights / card.name


def note_of(card: ModelCard, weights: Path) -> WeightsNote:
    """Return what is in a model's folder; raise `ModelError` if its weights were not fetched."""
    file = folder_of(card, weights) / NOTE
    try:
        return WeightsNote.model_validate_json(file.read_bytes())
    except (OSError, ValidationError) as error:
        raise ModelError(
            f"the weights of {card.name} are not in {file.parent}: `./run perception fetch {card.name}` downloads "
            f"them, or copy the files of {card.repository} there, with a {NOTE}: repository, revision and licence"
        ) from error


def fetch(card: ModelCard, weights: Path) -> WeightsNote:
    """Download a model's weights from the hub; raise `ModelError`."""
    from httpx2 import HTTPError  # noqa: PLC0415 - part of an extra
    from huggingface_hub import HfApi, snapshot_download  # noqa: PLC0415

    folder = folder_of(card, weights)
    try:
        revision = HfApi().model_info(card.repository, revision=card.revision).sha or card.revision
        snapshot_download(card.repository, revision=revision, local_dir=folder, allow_patterns=list(FILES))
    except (HTTPError, OSError) as error:
        raise ModelError(f"the weights of {card.name} cannot be downloaded from {card.repository}: {error}") from error
    note = WeightsNote(repository=card.repository, revision=revision, licence=card.licence)
    (folder / NOTE).write_text(note.model_dump_json(), "utf-8")
    return note
