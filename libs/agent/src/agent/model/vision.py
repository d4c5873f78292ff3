"""What a model may see: whether it takes pictures, how many, and where their bytes come from."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from contracts.models.artifact import ArtifactRef, Sha256
from contracts.models.conversation import Message
from langchain_core.language_models import BaseChatModel

MAX_IMAGES = 8
"""As many as one cell may show."""


class Blobs(Protocol):
    """What is asked of a store of blobs; see `artifacts.port.ArtifactStore`."""

    async def get(self, ref: ArtifactRef) -> bytes:
        """Return what `ref` names."""
        ...


class NoPicturesError(RuntimeError):
    """A message has pictures, and its role was wired without a store to fetch them from."""


@dataclass(frozen=True)
class Vision:
    """The pictures of one role's prompts."""

    blobs: Blobs | None = None
    max_images: int = MAX_IMAGES
    """Of one prompt."""
    takes_images: bool | None = None
    """Whether models are sent pictures; None: those of which LangChain's profile says that they take them."""

    def images_for(self, chat: BaseChatModel) -> int:
        """Return how many pictures a prompt for this model may have; 0: captions only."""
        takes = self.takes_images
        if takes is None:
            takes = bool((chat.profile or {}).get("image_inputs"))
        return self.max_images if takes else 0

    async def fetched(self, messages: Sequence[Message]) -> Mapping[Sha256, bytes]:
        """Return the bytes of all pictures of a prompt, by digest.

        Raise `NoPicturesError`, or what the store raises: its errors if one is missing, and if it is away.
        """
        refs = {image.artifact.sha256: image.artifact for message in messages for image in message.images}
        if not refs:
            return {}
        if self.blobs is None:
            raise NoPicturesError(
                "a prompt has pictures, and this role has no place to get them from: "
                "wire `RoleModel.configured(settings, artifacts)`"
            )
        found = await asyncio.gather(*map(self.blobs.get, refs.values()))
        return dict(zip(refs, found, strict=True))
