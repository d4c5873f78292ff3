"""Learned skills."""

from typing import get_args

from contracts.envelope import Role
from fastapi import APIRouter, Request, Response

from gateway.context import Using
from gateway.http.entity_tags import TAGGED, tagged
from gateway.models import SkillList
from gateway.routers.access_rules import READ

router = APIRouter(tags=["skills"], dependencies=READ)
ROLES: tuple[Role, ...] = get_args(Role)


@router.get("/skills", response_model=SkillList, responses=TAGGED)
async def list_skills(context: Using, request: Request) -> Response:
    """Return the newest version of each skill that was learned. `artifact` names its text."""
    async with context.deadline():
        skills = [skill for role in ROLES for skill in await context.skills.newest(role)]
    return tagged(request, SkillList(skills=tuple(skills)))
