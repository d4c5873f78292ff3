"""The catalog's policy: from a request to SQL, from rows to an answer with reasons."""

from collections.abc import Sequence

from langchain_core.messages import AIMessage, BaseMessage

from offline_expert.catalog.queries import by_figures, by_text
from offline_expert.catalog.request import PartRequest, parse_request
from offline_expert.markdown import rows, value

_REASONS = {
    "stall_torque_n_m": "{} N m at stall",
    "continuous_torque_n_m": "{} N m continuous",
    "no_load_speed_rad_s": "{} rad/s without load",
    "voltage_v": "{} V",
    "d_mm": "M{}",
    "length_mm": "{} mm long",
    "bore_mm": "bore {} mm",
    "od_mm": "outside {} mm",
    "module_mm": "module {} mm",
    "teeth": "{} teeth",
    "from_usd": "{} USD for one piece",
}
"""From a column to its text as a reason."""


def decide(messages: Sequence[BaseMessage]) -> AIMessage:
    """Return the next query, or the parts found."""
    start = max(index for index, message in enumerate(messages) if message.text.startswith("# Search request"))
    answers = [message.text for message in messages[start + 1 :] if message.text.startswith("# Rows")]
    request = _request(messages[start].text)
    if not answers:
        return _query(by_figures(request))
    found = _found(answers[-1])
    if not found and len(answers) == 1 and by_text(request) != by_figures(request):
        return _query(by_text(request))
    note = "nothing has these figures; the parts match the text" if found and len(answers) > 1 else ""
    lines = [f"- `{row['part_id']}`: {_reason(row)}" for row in found[: request.limit]] or ["none"]
    return AIMessage("## Parts\n\n" + "\n".join(lines) + f"\n\n## Note\n\n{note or 'by figures and price'}")


def _request(text: str) -> PartRequest:
    return parse_request(value(text, "words") or "", int(value(text, "limit") or 5))


def _query(sql: str) -> AIMessage:
    return AIMessage(f"## Query\n\n```sql\n{sql}\n```")


def _found(text: str) -> list[dict[str, str]]:
    table = rows(text)
    return [dict(zip(table[0], row, strict=True)) for row in table[2:]] if table else []


def _reason(row: dict[str, str]) -> str:
    reasons = [text.format(row[column]) for column, text in _REASONS.items() if row.get(column)]
    return ", ".join(reasons) or row["name"]
