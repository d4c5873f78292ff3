"""The catalog's rules: from words to SQL, from rows to an answer with reasons."""

from collections.abc import Sequence

from langchain_core.messages import AIMessage, BaseMessage

from offline_expert.catalog.request import Wanted, read_words
from offline_expert.catalog.sql import by_figures, by_words
from offline_expert.markdown import rows, value

_TOLD = {
    "stall_torque_n_m": "{} N m at stall",
    "continuous_torque_n_m": "{} N m for long",
    "no_load_speed_rad_s": "{} rad/s without load",
    "voltage_v": "{} V",
    "d_mm": "M{}",
    "length_mm": "{} mm long",
    "bore_mm": "bore {} mm",
    "od_mm": "outside {} mm",
    "module_mm": "module {} mm",
    "teeth": "{} teeth",
    "from_usd": "{} USD",
}
"""How a column is told as a reason."""


def decide(messages: Sequence[BaseMessage]) -> AIMessage:
    """Return the next query, or the parts that were found."""
    start = max(number for number, each in enumerate(messages) if each.text.startswith("# Search request"))
    answers = [each.text for each in messages[start + 1 :] if each.text.startswith("# Rows")]
    wanted = _wanted(messages[start].text)
    if not answers:
        return _query(by_figures(wanted))
    found = _found(answers[-1])
    if not found and len(answers) == 1 and by_words(wanted) != by_figures(wanted):
        return _query(by_words(wanted))
    note = "nothing has the figures; these have the words" if found and len(answers) > 1 else ""
    lines = [f"- `{row['part_id']}`: {_reason(row)}" for row in found[: wanted.limit]] or ["none"]
    return AIMessage("## Parts\n\n" + "\n".join(lines) + f"\n\n## Note\n\n{note or 'by figures and price'}")


def _wanted(text: str) -> Wanted:
    return read_words(value(text, "words") or "", int(value(text, "limit") or 5))


def _query(sql: str) -> AIMessage:
    return AIMessage(f"## Query\n\n```sql\n{sql}\n```")


def _found(text: str) -> list[dict[str, str]]:
    table = rows(text)
    return [dict(zip(table[0], row, strict=True)) for row in table[2:]] if table else []


def _reason(row: dict[str, str]) -> str:
    return ", ".join(words.format(row[name]) for name, words in _TOLD.items() if row.get(name)) or row["name"]
