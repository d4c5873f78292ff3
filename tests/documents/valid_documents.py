"""One valid document of each kind."""

PLAN = """# Plan

## Idea

Roll down a slope of 8 degrees, round the wall.

## Parts

| part | count | method | material | mass_g | price_usd |
| --- | --- | --- | --- | --- | --- |
| floor | 2 | 3d_printing | pla | 120 | 8.50 |
| post | 3 | cnc | pom | 40.5 | 6 |
| servo | 1 | catalog | mg996r | 55 | 9.95 |

## Motion

Moved by: gravity, on a slope of 8 degrees

1. the ball rolls to the corner
2. it drops into the goal zone

## Risks

- the corner stops the ball: a bevel of 20 mm
- the ball jumps out: walls of 30 mm
"""

TODO = """# TODO

- [x] T1: measure the world
- [ ] T2: build the legs
- [-] T3: glue the rail (reason: the rail is screwed)
"""

JOURNAL = """# Journal

## J1: build the legs

- Result: one floats
- Reflection: it was measured from the wrong floor
- Next step: lower it

## J2: simulate

- Result: solved
- Reflection: it is slow
- Next step: submit
- Film: the ball rests in the goal at 3.1 s
- Frames: 3f2a, 9c01
"""

PROOF = "The goal lies 40 mm under the floor, as [cell 3] printed, and the ball came to rest on it in [simulation 1].\n"
