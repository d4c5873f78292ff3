"""Functions for reviewing a design. A review cannot change or submit anything.

The kernel provides `design` (a Compound of labelled parts, rebuilt from the submitted script), `result` (the verdict's
simulation, a run: `result.payload_mm`, `result.joint("hinge")`, `result.at(1.25)`, `result[1.0:2.5]`,
`result.events_between(0, 2)`, `result.replicas`, `result.motors`, `result.loads`), `bill`, `limits`, `scene` (the input
of the physics: `scene.bodies`, `scene.welds`, `scene.joints`, `scene.drives`), `environment`, `benchmark`, `submitted`
(the engineer's files as texts: `submitted["script.py"]`, `submitted["todo.md"]`) and `skills`.

- `simulate(design, seed=7, replicas=6)`: runs the submitted scene again; the seed determines the replicas' jitter.
- `assess()`: counts the replicas of all reruns of this review together: `.verdict`, `.success_rate`, `.confidence`.
  Bind it to a variable: an approval names it. It needs at least 29 replicas under 5 seeds other than the benchmark's,
  90 % of them successful: a machine with a success rate of 90 % passes 29 in a row in fewer than 5 % of cases.
- `strains(result)`: loads of motors, joints and connections over their limits; `overloads(scene, result)` as text.
- `economy(bill, limits)`: price, mass and parts over their limits.
- `each_removable_alone(scene, result)`: parts that were never touched and hold nothing that is needed.
- `ask_film("did the ball leave the channel before the bend?", expect="boolean")`: asks a question about the film, which
  an agent answers by measuring its images; `choices=("left", "right")`, `expect="number", unit="s"`. Bind the answer:
  it is evidence. For what `result` does not hold as numbers.
- `show(result, result[1.0:2.5], design)`: shows key frames and parts.
"""

from kernel.api.reviews.film_questions import ask_film
from kernel.api.reviews.load_ratios import overloads, strains
from kernel.api.reviews.redundancy import each_removable_alone, economy
from kernel.api.reviews.reruns import assess, simulate

__all__ = ["ask_film", "assess", "each_removable_alone", "economy", "overloads", "simulate", "strains"]
