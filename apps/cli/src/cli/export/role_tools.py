"""The tools of a role. The log has the calls and not the schemas, which are those of this version."""

import json
from collections.abc import Sequence

from contracts.envelope import Role
from critic.tool_calls import CRITIC_TOOLS
from engineer.policy import EXECUTORS
from planner.tool_calls import TOOLS_AFTER_A_REFUSAL
from pydantic import BaseModel


def tool_schemas(role: Role, executor: str) -> str:
    """Return the tools of a role in a run with this executor, as a JSON list of functions of chat-completion APIs."""
    return json.dumps([_function(each) for each in _tools(role, executor)], ensure_ascii=False)


def _tools(role: Role, executor: str) -> Sequence[type[BaseModel]]:
    match role:
        case "planner":
            return TOOLS_AFTER_A_REFUSAL
        case "engineer":
            return next(each.tools for name, each in EXECUTORS.items() if name == executor)
        case "critic":
            return CRITIC_TOOLS
        case _:
            return ()


def _function(tool: type[BaseModel]) -> dict[str, object]:
    schema = tool.model_json_schema()
    named = {"name": schema.pop("title"), "description": schema.pop("description", "")}
    return {"type": "function", "function": {**named, "parameters": schema}}
