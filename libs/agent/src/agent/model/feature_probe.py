"""Two calls of a model that show what it can do: one that should call a tool twice, one that should use the results."""

from dataclasses import dataclass

from contracts.models.conversation import Message
from pydantic import BaseModel, ConfigDict

from agent.model.messages import tool_message, user_message
from agent.model.role_model import RoleModel

_READINGS = {"A": 1_471, "B": 2_658}
_SYSTEM = Message(author="system", text="You read meters. Reply shortly.")
_TASK = "Call `read_meter` for meter A and for meter B, both in this reply. Then you get the readings."
_QUESTION = "What is the sum of both readings? Reply with the number."


class ReadMeter(BaseModel):
    """Read a meter."""

    model_config = ConfigDict(title="read_meter")

    meter: str


@dataclass(frozen=True)
class FoundFeatures:
    """What a model did in the probe, and what is known of it."""

    calls_tools: bool
    calls_in_parallel: bool
    uses_results: bool
    has_reasoning: bool
    """In a field or blocks of its own."""
    counts_tokens: bool
    has_price: bool
    takes_pictures: bool
    window_tokens: int | None

    def __str__(self) -> str:
        found = {
            "tools": self.calls_tools,
            "parallel tools": self.calls_in_parallel,
            "results used": self.uses_results,
            "pictures": self.takes_pictures,
            "reasoning field": self.has_reasoning,
            "usage": self.counts_tokens,
            "price": self.has_price,
        }
        features = ", ".join(f"{name} {'yes' if value else 'no'}" for name, value in found.items())
        return f"{features}, context window {self.window_tokens or 'unknown'}"


async def probe(models: RoleModel, model: str) -> FoundFeatures:
    """Call the model twice, at its price; raise what `RoleModel.answer` raises."""
    conversation = [_SYSTEM, user_message(_TASK)]
    first = await models.answer(model, conversation, (ReadMeter,))
    conversation.append(first.reply)
    for number, call in enumerate(first.reply.tool_calls):
        conversation.append(tool_message(call, str(tuple(_READINGS.values())[number % 2])))
    given = "" if first.reply.tool_calls else f"The readings: {_READINGS}. "
    conversation.append(user_message(f"{given}{_QUESTION}"))
    second = await models.answer(model, conversation, (ReadMeter,))
    digits = "".join(filter(str.isdigit, second.reply.text))
    return FoundFeatures(
        calls_tools=bool(first.reply.tool_calls),
        calls_in_parallel=len(first.reply.tool_calls) > 1,
        uses_results=str(sum(_READINGS.values())) in digits,
        has_reasoning=bool(first.reply.reasoning or second.reply.reasoning),
        counts_tokens=first.usage.input_tokens > 0,
        has_price=first.usage.cost_usd is not None,
        takes_pictures=models.max_images(model) > 0,
        window_tokens=models.profile(model).max_input_tokens,
    )
