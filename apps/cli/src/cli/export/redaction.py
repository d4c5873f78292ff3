"""Secrets and paths of machines, which training data must not hold."""

import json
import re
from collections import Counter
from collections.abc import Iterable

from agent.settings import ModelSettings
from local_stack.settings import CliSettings
from pydantic import JsonValue

MIN_SECRET_CHARS = 8
"""Shorter values are not secrets and may be part of any word."""
_SECRETS = re.compile(
    r"""
    -----BEGIN\ [A-Z ]*PRIVATE\ KEY-----[\s\S]*?(?:-----END\ [A-Z ]*PRIVATE\ KEY-----|\Z)
    | (?<=://)[^\s/:@]*:[^\s/@]+(?=@)                          # user and password of an address
    | (?i:\bbearer\ )[\w.~+/-]{16,}=*
    | \beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]+                        # JSON web token
    | \b(?:sk|rk|pk)[-_][\w-]{20,}                             # OpenAI, Anthropic, Stripe
    | \b(?:gh[oprsu]|github_pat|hf|glpat|npm|pypi)[-_][\w-]{20,}
    | \bxox[abeoprs]-[\w-]{10,}
    | \b(?:AKIA|ASIA)[0-9A-Z]{16}\b
    | \bAIza[\w-]{30,}
    | \b[A-Z0-9_]*(?:PASSWORD|SECRET|API_KEY|ACCESS_KEY|TOKEN)[A-Z0-9_]*\s*[=:]\s*["']?[^\s"']{6,}
    """,
    re.VERBOSE,
)
_PATHS = re.compile(
    r"(?<![\w/.:<>)\]~-])(?:~|/[A-Za-z_][\w.@+-]*)(?:/[\w.@+-]+)+/?"  # POSIX: two names or more
    r"|(?<=file://)/[\w.@+/-]+"
    r"|(?<!\w)[A-Za-z]:\\[\w.@+ \\-]+"
)


def known_secrets(settings: CliSettings) -> list[str]:
    """Return the keys of models and servers that this command may use."""
    fields = type(settings).model_fields.items()
    own = [getattr(settings, name) for name, info in fields if not info.repr]
    keys = [each.get_secret_value() for each in ModelSettings().secrets]
    return [each for each in (*own, *keys) if each]


class Redaction:
    """Replaces secrets and absolute paths in texts, and counts them as `secrets` and `paths`."""

    def __init__(self, known: Iterable[str] = ()) -> None:
        """`known`: secrets of this machine, of any form."""
        words = sorted({each for each in known if len(each) >= MIN_SECRET_CHARS}, key=len, reverse=True)
        self._known = re.compile("|".join(map(re.escape, words)) or r"(?!)")
        self.counts: Counter[str] = Counter()

    def clean(self, value: JsonValue) -> JsonValue:
        """Return a value of JSON with all its texts cleaned."""
        match value:
            case str():
                return self._text(value)
            case list():
                return [self.clean(each) for each in value]
            case dict():
                return {self._text(name): self.clean(each) for name, each in value.items()}
            case _:
                return value

    def clean_json(self, text: str) -> str:
        """Return a JSON document with all its texts cleaned: escapes such as `\\n` would hide where a path begins."""
        return json.dumps(self.clean(json.loads(text)), ensure_ascii=False)

    def _text(self, text: str) -> str:
        for pattern, kind in ((self._known, "secrets"), (_SECRETS, "secrets"), (_PATHS, "paths")):
            text, found = pattern.subn(f"<{kind.removesuffix('s')}>", text)
            self.counts[kind] += found
        return text
