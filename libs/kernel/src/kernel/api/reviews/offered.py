"""What a reviewer needs. Nothing can be changed or submitted here.

In the kernel stand `design` (a Compound of labelled parts, as it was built anew from the submitted script), `result`
(the verdict's simulation, a run: `result.payload_mm`, `result.joint("hinge")`, `result.at(1.25)`, `result[1.0:2.5]`,
`result.events_between(0, 2)`, `result.replicas`, `result.motors`, `result.loads`), `bill`, `limits`, `scene` (what
physics was told: `scene.bodies`, `scene.welds`, `scene.joints`, `scene.drives`), `environment`, `benchmark`,
`submitted` (the engineer's files as texts: `submitted["script.py"]`, `submitted["todo.md"]`) and `skills`.

- `simulate(design, seed=7, replicas=6)`: runs the submitted scene again; the seed chooses the jitter of the replicas.
- `assess({seed: run, ...})`: counts the replicas of all seeds together: `.verdict`, `.success_rate`, `.confidence`.
  29 replicas at least: had the machine only 90 %, so many successes in a row would come in fewer than 5 of 100 cases.
- `strains(result)`: what motors, joints and connections bore, as shares of their limits; `overloads(scene, result)` in
  words.
- `economy(bill, limits)`: price, mass and parts as shares of their limits.
- `spare_parts(scene, result)`: parts that were never touched and hold nothing that is needed.
- `show(result, result[1.0:2.5], design)`: lets you see key frames and parts.
"""

from kernel.api.reviews.assessment import assess
from kernel.api.reviews.load_ratios import overloads, strains
from kernel.api.reviews.redundancy import economy, spare_parts
from kernel.api.reviews.reruns import simulate

__all__ = ["assess", "economy", "overloads", "simulate", "spare_parts", "strains"]
