"""Tools about the design of a session: drawn, priced, simulated, submitted. They run cells, which a replay repeats."""

import ast
from typing import Annotated, TypeVar

from cad_worker.session_protocol import QuoteAnswer, SimulationAnswer
from contracts.models.benchmark import Limits
from documents.observation import observation_markdown
from documents.quote import pricing_markdown
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import CallToolResult
from millwright.sessions.design_session import CellResult
from millwright.workshop import REPLICAS
from pydantic import BaseModel, Field

from mcp_server.answers import (
    CellAnswer,
    PhysicsAnswer,
    PriceAnswer,
    VerdictAnswer,
    price_answer,
    simulation_answer,
    verdict_answer,
)
from mcp_server.calls import result
from mcp_server.pictures import picture
from mcp_server.tools.benchmark_tools import Replicas
from mcp_server.tools.cell_tools import cell_result
from mcp_server.tools.client import ClientTools, SessionId, client_name

SCRIPT = "from script import assembly\n"
CELL_S = 120.0
MAX_PREVIEW_REPLICAS = 16
Design = Annotated[
    str,
    Field(
        max_length=500,
        description="Python expression of the kernel, such as `leg` or `machine(30)`; empty: `assembly` of script.py.",
    ),
]

A = TypeVar("A", bound=BaseModel)


class DesignTools(ClientTools):
    """Draws, prices, simulates and submits."""

    async def render(
        self, ctx: Context, session: SessionId, design: Design = ""
    ) -> Annotated[CallToolResult, CellAnswer]:
        """Draw a part or an assembly from four sides, over a grid in mm."""
        cell, _ = await self._ran(ctx, session, f"{_imports(design)}show({_named(design)})", "render")
        if not cell.pictures:
            raise ToolError(observation_markdown(cell.observation))
        return cell_result(cell)

    async def validate_and_price(
        self,
        ctx: Context,
        session: SessionId,
        design: Design = "",
        quantity: Annotated[int, Field(ge=1, le=1_000_000, description="Machines of the order.")] = 100,
    ) -> Annotated[CallToolResult, PriceAnswer]:
        """Say whether a part or an assembly can be made, by which workbench at which price, and what to change first.

        The findings name rule, part, measured value, limit and fix. Nothing is ordered.
        """
        code = f"{_imports(design)}from utils import price\nprice({_named(design)}, quantity={quantity})"
        cell, limits = await self._ran(ctx, session, code, "validate and price")
        quote = _answer(cell, QuoteAnswer).quote
        if quote is None:
            raise ToolError(observation_markdown(cell.observation))
        text = pricing_markdown(quote.findings, quote.bill, limits)
        return result(price_answer(quote.findings, quote.bill), text)

    async def simulate(  # noqa: PLR0913, PLR0917 - the arguments of a tool
        self,
        ctx: Context,
        session: SessionId,
        design: Design = "",
        replicas: Annotated[int, Field(ge=1, le=MAX_PREVIEW_REPLICAS, description="Jittered repeats; 1: none.")] = 1,
        seed: Annotated[int, Field(ge=0, le=2**31 - 1, description="Of the jitter.")] = 0,
        film: Annotated[bool, Field(description="Return key moments and views as pictures: about 10 s.")] = False,
    ) -> Annotated[CallToolResult, PhysicsAnswer]:
        """Simulate a design in the world of the session: what happens, why it fails, how far parts are from breaking.

        `strength` has the factor of safety of each part. Findings of the workbenches do not keep it from running.
        """
        shows = "\nshow(run)" if film else ""
        code = (
            f"{_imports(design)}from utils import simulate\n"
            f"run = simulate({_named(design)}, replicas={replicas}, seed={seed}){shows}"
        )
        cell, _ = await self._ran(ctx, session, code, "simulate")
        simulated = _answer(cell, SimulationAnswer).result
        if simulated is None:
            raise ToolError(observation_markdown(cell.observation))
        pictures = [picture(each.png) for each in cell.pictures]
        return result(simulation_answer(simulated), observation_markdown(cell.observation), *pictures)

    async def submit(
        self, ctx: Context, session: SessionId, replicas: Replicas = REPLICAS
    ) -> Annotated[CallToolResult, VerdictAnswer]:
        """Submit script.py and its modules for the verdict of the benchmark, in a fresh kernel: valid, priced, solved.

        You may submit as often as you like; export gives the files of the design.
        """
        client = client_name()

        async def judged() -> CallToolResult:
            async with self.hub.use(client, session) as opened:
                verdict = (await opened.judge(replicas)).verdict
            return result(verdict_answer(verdict), verdict.markdown())

        return await self.answer(ctx, judged(), session)

    async def _ran(self, ctx: Context, session: str, code: str, purpose: str) -> tuple[CellResult, Limits]:
        client = client_name()

        async def ran() -> tuple[CellResult, Limits]:
            async with self.hub.use(client, session) as opened:
                cell = await opened.run_cell(code, timeout_s=CELL_S, purpose=purpose)
                return cell, opened.assignment.limits

        return await self.answer(ctx, ran(), session)


def _imports(design: str) -> str:
    return "" if design else SCRIPT


def _named(design: str) -> str:
    """Return the expression in brackets; raise `ToolError` if it is not one."""
    try:
        ast.parse(design or "assembly", mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ToolError(
            f"design={design!r} is not a Python expression: name a variable of the kernel, such as `leg`"
        ) from error
    return design or "assembly"


def _answer(cell: CellResult, kind: type[A]) -> A:
    """Return the host's last answer of a kind to the cell; raise `ToolError` with the cell's error without one."""
    answers = [use.answer for use in cell.uses if isinstance(use.answer, kind)]
    if not answers:
        raise ToolError(observation_markdown(cell.observation))
    return answers[-1]
