"""Who calls, and what all tools share."""

from collections.abc import Awaitable
from typing import Annotated, TypeVar

from mcp.server.auth.middleware.auth_context import get_access_token
from mcp.server.mcpserver import Context
from pydantic import Field

from mcp_server.calls import answered
from mcp_server.hub import SessionHub
from mcp_server.tokens import LOCAL_CLIENT

MAX_CODE_CHARS = 200_000
SessionId = Annotated[str, Field(max_length=64, description="Id of a session, from open_session.")]
BenchmarkName = Annotated[str, Field(max_length=100, description="Name of a benchmark, from list_benchmarks.")]
Seed = Annotated[int, Field(ge=0, le=2**31 - 1, description="Seed of the world: each is another variant.")]

T = TypeVar("T")


def client_name() -> str:
    """Return the client of the running call: the owner of its token, or the user who started the server."""
    token = get_access_token()
    return LOCAL_CLIENT if token is None else token.client_id


class ClientTools:
    """What the groups of tools share."""

    def __init__(self, hub: SessionHub) -> None:
        self.hub = hub

    async def answer(self, ctx: Context, work: Awaitable[T], session: str = "") -> T:
        """Do the work of a call, with progress and errors that teach."""
        return await answered(ctx, work, lambda: self.hub.stage(session))
