"""A model provider: `--model workshop:NAME`. A real one would return a client of its server."""

from langchain_core.language_models import BaseChatModel
from langchain_core.language_models.fake_chat_models import ParrotFakeChatModel


def make_chat(name: str) -> BaseChatModel:
    """Return a chat model that repeats what it reads."""
    return ParrotFakeChatModel(metadata={"model": name})
