"""Models of the language as artifacts, for those too large to travel in an event."""

from typing import TypeVar

from contracts.model import Model
from contracts.models.artifact import ArtifactRef

from artifacts.port import ArtifactStore

Document = TypeVar("Document", bound=Model)


async def put_json(artifacts: ArtifactStore, document: Model) -> ArtifactRef:
    """Store a model as JSON."""
    return await artifacts.put(document.model_dump_json().encode(), "application/json")


async def get_json(artifacts: ArtifactStore, ref: ArtifactRef, kind: type[Document]) -> Document:
    """Read a model back; raise an `ArtifactError`, or pydantic's `ValidationError` if it is not of this kind."""
    return kind.model_validate_json(await artifacts.get(ref))
