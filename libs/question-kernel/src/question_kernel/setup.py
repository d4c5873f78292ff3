"""Setup of a question's session: the order for its kernel, and the pictures of its workspace."""

from asyncio import gather

from artifacts.port import ArtifactStore
from contracts.events.question import QuestionSessionRequested
from spatial.sources import without_source

from question_kernel.protocol import QuestionOrder, image_path


def question_order(request: QuestionSessionRequested) -> QuestionOrder:
    """Return the order of a question's session, without the scenes behind its frames."""
    return QuestionOrder(
        answer=request.answer,
        frames=tuple(map(without_source, request.frames)),
        metadata=request.metadata,
        tools_off=request.tools_off,
    )


async def question_pictures(request: QuestionSessionRequested, artifacts: ArtifactStore) -> dict[str, bytes]:
    """Fetch the pictures of a question by their paths in the workspace."""
    pictures = await gather(*(artifacts.get(frame.picture) for frame in request.frames))
    return {image_path(number): data for number, data in enumerate(pictures)}
