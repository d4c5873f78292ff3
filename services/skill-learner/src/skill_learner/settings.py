"""Settings of the skill-learner's service."""

from typing import Annotated

from agent.role_app import RoleServiceSettings
from contracts.envelope import Role
from pydantic import BeforeValidator, Field, PositiveInt
from pydantic_settings import NoDecode


def _roles_by_role(text: object) -> object:
    """Parse `critic=engineer+planner,planner=engineer`; other values than text are left to pydantic."""
    if not isinstance(text, str):
        return text
    pairs = [pair.partition("=") for pair in text.replace(" ", "").split(",") if pair]
    if missing := [role for role, _, others in pairs if not others]:
        raise ValueError(f"{missing[0]!r} has no roles: write e.g. critic=engineer")
    return {role: tuple(others.split("+")) for role, _, others in pairs}


class Settings(RoleServiceSettings):
    """NATS, S3, Postgres and the models; and which role may use which skills."""

    skills_access: Annotated[dict[Role, tuple[Role, ...]], NoDecode, BeforeValidator(_roles_by_role)] = Field(
        default_factory=dict[Role, tuple[Role, ...]]
    )
    """The roles whose skills a role may use besides its own. In the environment: `critic=engineer+planner`."""
    skills_at_most: PositiveInt = 50
    """Skills offered to one role: the latest learned. Each takes a line of every prompt."""
