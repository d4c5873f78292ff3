"""A Gymnasium environment: the observation is a task as text, the action a script, the reward our verdict.

Needs the extra `gym`. `gymnasium.make_vec` and `AsyncVectorEnv` run several, each with a sandbox of its own.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import gymnasium
from benchmarks.loader import load
from cad_worker.session_protocol import SessionOrder
from gymnasium import spaces

from millwright.judge import background
from millwright.script import ScriptError
from millwright.verdict import DesignVerdict
from millwright.workshop import REPLICAS, order_markdown

MAX_SCRIPT_CHARS, MAX_TEXT_CHARS = 60_000, 40_000
LETTERS = frozenset(map(chr, range(32, 127))) | frozenset("\n\t·²³°±µ≤≥→…✓✗")
Texts = dict[str, Any]
"""`task` and `verdict`."""


class DesignEnvironment(gymnasium.Env[Texts, str]):
    """Worlds of benchmarks. An episode ends with a proven design, or is cut off after `attempts` scripts.

    `reset(seed=…)` draws benchmark and world; `options={"benchmark": …, "seed": …}` names them. The observation has
    `task`, and `verdict` on the last script. The reward is 1 for a proven design, else 0, plus `shaping`: weights of
    the terms in `info["terms"]`, each from 0 to 1, none by default.
    """

    metadata = {"render_modes": []}  # noqa: RUF012 - Gymnasium's own type

    def __init__(
        self,
        benchmarks: Sequence[str],
        seeds: Sequence[int] = range(1000),
        *,
        attempts: int = 1,
        replicas: int = REPLICAS,
        shaping: Mapping[str, float] | None = None,
    ) -> None:
        """`benchmarks`: built-in names or folders; `seeds`: of their worlds."""
        self.benchmarks, self.seeds, self.attempts, self.replicas = tuple(benchmarks), seeds, attempts, replicas
        self.shaping = dict(shaping or {})
        self.action_space = spaces.Text(MAX_SCRIPT_CHARS, charset=LETTERS)
        text = spaces.Text(MAX_TEXT_CHARS, min_length=0, charset=LETTERS)
        self.observation_space = spaces.Dict({"task": text, "verdict": text})
        self._order: SessionOrder | None = None
        self._tried = 0

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Texts, dict[str, Any]]:
        """Return the task of a world; raise `BenchmarkError` if it cannot be built."""
        super().reset(seed=seed)
        chosen = options or {}
        drawn = self.benchmarks[int(self.np_random.integers(len(self.benchmarks)))]
        world = self.seeds[int(self.np_random.integers(len(self.seeds)))]
        loaded = load(chosen.get("benchmark", drawn), chosen.get("seed", world))
        workshop = background()
        self._order, self._tried = workshop.run(workshop.workshop.order(loaded)), 0
        return self._observed(""), {"benchmark": loaded.file.name, "seed": loaded.variant.seed}

    def step(self, action: str) -> tuple[Texts, float, bool, bool, dict[str, Any]]:
        """Judge a script; raise `ScriptError` if it is larger than a script may be."""
        if self._order is None:
            raise ScriptError("the environment has no world yet: call reset() first")
        workshop = background()
        judged = workshop.run(workshop.workshop.judge_files({"script.py": action}, self._order, self.replicas))
        verdict, self._tried = judged.verdict, self._tried + 1
        terms = verdict.terms
        reward = float(verdict.is_solved) + sum(weight * terms[name] for name, weight in self.shaping.items())
        is_cut_off = not verdict.is_solved and self._tried >= self.attempts
        info = {"outcome": verdict.outcome, "headline": verdict.headline, "terms": terms}
        return self._observed(_timeless(verdict).markdown()), reward, verdict.is_solved, is_cut_off, info

    def _observed(self, verdict: str) -> Texts:
        assert self._order is not None
        return {"task": _plain(order_markdown(self._order)), "verdict": _plain(verdict)}


def _timeless(verdict: DesignVerdict) -> DesignVerdict:
    """Return a verdict without how long its script ran: equal episodes have equal observations."""
    if verdict.observation is None:
        return verdict
    return verdict.model_copy(update={"observation": verdict.observation.model_copy(update={"elapsed_s": 0.0})})


def _plain(text: str) -> str:
    """Return a text of the space's letters and length."""
    return "".join(letter if letter in LETTERS else "?" for letter in text[:MAX_TEXT_CHARS])
