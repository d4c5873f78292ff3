"""What skill-learner needs from its environment."""

from typing import Annotated

from agent.settings import RoleSettings
from artifacts.settings import S3Settings
from chassis.settings import BusSettings
from contracts.envelope import Role
from pydantic import BeforeValidator, Field, PositiveInt
from pydantic_settings import NoDecode
from store.settings import DatabaseSettings


def _roles_by_role(text: object) -> object:
    """Read `critic=engineer+planner,planner=engineer`; what is no text is left to pydantic."""
    if not isinstance(text, str):
        return text
    pairs = [pair.partition("=") for pair in text.replace(" ", "").split(",") if pair]
    if missing := [role for role, _, others in pairs if not others]:
        raise ValueError(f"{missing[0]!r} is given nobody's skills: write e.g. critic=engineer")
    return {role: tuple(others.split("+")) for role, _, others in pairs}


class Settings(BusSettings, S3Settings, DatabaseSettings, RoleSettings):
    """NATS, S3, Postgres and the models; and who may use whose skills."""

    skills_access: Annotated[dict[Role, tuple[Role, ...]], NoDecode, BeforeValidator(_roles_by_role)] = Field(
        default_factory=dict[Role, tuple[Role, ...]]
    )
    """Whose skills a role may use besides its own. In the environment: `critic=engineer+planner,planner=engineer`."""
    skills_at_most: PositiveInt = 50
    """How many one role is offered: the latest learned. Each takes up a line of every prompt."""
