"""One call of a tool: progress while it works, a clean end when it is cancelled, errors that teach."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

import anyio
from artifacts.port import ArtifactError
from benchmarks.loader import BenchmarkError
from documents.workspaces.archive import InvalidWorkspaceError
from kernel_host.sessions.session import KernelStartError
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import CallToolResult, ContentBlock, TextContent
from millwright import ScriptError
from millwright.sessions.design_session import SessionFullError
from millwright.sessions.exports import ExportError
from millwright.sessions.session_log import SessionInUseError
from pydantic import BaseModel
from sandbox.zygote.client import SandboxUnavailableError

from mcp_server.errors import ClientError

PROGRESS_S = 1.0
MESSAGES = (
    *(ClientError, BenchmarkError, ScriptError, ExportError, SessionFullError, SessionInUseError),
    *(InvalidWorkspaceError, KernelStartError, ArtifactError),
)
"""Errors whose messages name the thing and the fix."""

T = TypeVar("T")


async def answered(ctx: Context, work: Awaitable[T], stage: Callable[[], str]) -> T:
    """Return what the work returns, and report every second what goes on; raise `ToolError` for a mistake.

    A cancelled call ends its work, which cleans up, before it ends itself.
    """
    task = asyncio.ensure_future(work)
    began_s = time.monotonic()
    try:
        while not (await asyncio.wait({task}, timeout=PROGRESS_S))[0]:
            elapsed_s = time.monotonic() - began_s
            await ctx.report_progress(elapsed_s, None, f"{stage() or 'works'}, {elapsed_s:.0f} s")
        return task.result()
    except MESSAGES as error:
        raise ToolError(str(error)) from error
    except SandboxUnavailableError as error:
        raise ToolError(f"this machine confines no process, so no code can run: {error}") from error
    finally:
        if not task.done():
            task.cancel()
            with anyio.CancelScope(shield=True):
                await asyncio.gather(task, return_exceptions=True)


def result(structured: BaseModel, text: str, *further: ContentBlock) -> CallToolResult:
    """Return an answer: structured, as text for the model, and with pictures or links."""
    content: list[ContentBlock] = [TextContent(text=text), *further]
    return CallToolResult(content=content, structured_content=structured.model_dump(mode="json"))
