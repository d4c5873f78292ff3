"""A model whose replies a test computes from the prompt."""

from abc import abstractmethod
from collections.abc import Sequence
from uuid import UUID

from agent.model.role_model import Answer, CallSettings, RoleModel
from agent.testing import ScriptedChat
from contracts.models.conversation import Message
from pydantic import BaseModel


class AnsweringModel(RoleModel):
    """Keeps its prompts."""

    def __init__(self, settings: CallSettings | None = None) -> None:
        super().__init__(lambda _: ScriptedChat(script=[]), settings=settings)
        self.prompts: list[tuple[Message, ...]] = []

    @abstractmethod
    def reply(self, messages: Sequence[Message]) -> Answer:
        """Return the reply to a prompt."""

    async def answer(
        self,
        model: str,
        messages: Sequence[Message],
        tools: Sequence[type[BaseModel]],
        run_id: UUID | None = None,
        patience: int = 1,
    ) -> Answer:
        """Return the next reply."""
        self.prompts.append(tuple(messages))
        return self.reply(messages)
