"""Which executor a run has asked for."""

from collections.abc import Mapping

from contracts.models.benchmark import Executor

from engineer.executors.code import Code
from engineer.executors.executor import Acting
from engineer.executors.single_pass import SinglePass
from engineer.executors.tool_calls import ToolCalling

EXECUTORS: Mapping[Executor, Acting] = {"code": Code(), "tool_call": ToolCalling(), "single_pass": SinglePass()}
