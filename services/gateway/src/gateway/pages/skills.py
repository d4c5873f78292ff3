"""Skills: those shipped with Millwright, and those learned from runs, with their versions."""

from typing import get_args

from contracts.envelope import Role
from documents.shipped_skills import skills_of
from fastapi import APIRouter, Request, Response

from gateway.context import Using
from gateway.http.page_paths import PAGES
from gateway.pages.page_templates import page

router = APIRouter(include_in_schema=False)
ROLES: tuple[Role, ...] = get_args(Role)


@router.get(f"{PAGES}/skills")
async def show_skills(context: Using, request: Request) -> Response:
    """Show all skills."""
    async with context.deadline():
        learned = {role: found for role in ROLES if (found := await context.skills.newest(role))}
    shipped = {role: found.values() for role in ROLES if (found := skills_of(role))}
    return page(request, "catalog/skills.html", learned=learned, shipped=shipped)
