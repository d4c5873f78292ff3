"""Mistakes of build123d and their fixes, generated from a seed that neither learner nor prompts know."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

Means = Literal["cell", "edit", "write"]
"""What fixes a mistake: another cell, an edit of a file, or a whole write of it."""
MEANS: tuple[Means, ...] = ("cell", "edit", "write")
TARGET = "error: "
"""How the failure of every cell begins."""


@dataclass(frozen=True)
class Mistake:
    """One line that fails, and the line that works."""

    kind: str
    """The name that both lines define."""
    drawn: str
    """The lines before it, which work."""
    wrong: str
    right: str

    def code(self, expression: str) -> str:
        """Return a module or a cell with this expression."""
        return f"from build123d import *\n\n{self.drawn}{self.kind} = {expression}\n"

    def __str__(self) -> str:
        return f"{self.kind} = {self.wrong}, then {self.right}"


def mistakes(secret: str, count: int = 3) -> list[Mistake]:
    """Return mistakes of different kinds."""
    dice = random.Random(secret)
    return [kind(dice) for kind in dice.sample(KINDS, count)]


def _fillet(dice: random.Random) -> Mistake:
    size_mm, right_mm = dice.choice([14, 16, 18, 22]), dice.randrange(11, 29) / 10
    wrong_mm = size_mm / 2 + dice.randrange(11, 39) / 10
    drawn = f"gusset = Box({size_mm}, {size_mm}, {size_mm})\n"
    return Mistake("rounded", drawn, f"fillet(gusset.edges(), {wrong_mm})", f"fillet(gusset.edges(), {right_mm})")


def _chamfer(dice: random.Random) -> Mistake:
    size_mm, right_mm = dice.choice([12, 17, 19, 24]), dice.randrange(11, 29) / 10
    wrong_mm = size_mm / 2 + dice.randrange(11, 39) / 10
    drawn = f"foot = Box({size_mm}, {size_mm}, {size_mm})\n"
    return Mistake("bevelled", drawn, f"chamfer(foot.edges(), {wrong_mm})", f"chamfer(foot.edges(), {right_mm})")


def _sorted_faces(dice: random.Random) -> Mistake:
    axis, place, width_mm = dice.choice("XYZ"), dice.choice([0, -1]), dice.randrange(13, 29)
    drawn = f"block = Box({width_mm}, {width_mm + 5}, 9)\n"
    faces = "block.faces()"
    return Mistake("end_face", drawn, f"{faces}.sort(Axis.{axis})[{place}]", f"{faces}.sort_by(Axis.{axis})[{place}]")


def _hole(dice: random.Random) -> Mistake:
    radius_mm, depth_mm = dice.randrange(11, 29) / 10, dice.randrange(13, 29)
    drawn = f"plate = Box(20, 20, {depth_mm})\n"
    right = f"plate - Hole(radius={radius_mm}, depth={depth_mm})"
    return Mistake("drilled", drawn, f"plate - Hole(radius={radius_mm})", right)


def _cylinder(dice: random.Random) -> Mistake:
    radius_mm, height_mm = dice.randrange(13, 49) / 4, dice.randrange(13, 49)
    wrong = f"Cylinder(diameter={2 * radius_mm}, height={height_mm})"
    return Mistake("rod", "", wrong, f"Cylinder(radius={radius_mm}, height={height_mm})")


def _turn(dice: random.Random) -> Mistake:
    axis, angle_deg, width_mm = dice.choice("XYZ"), dice.randrange(11, 44), dice.randrange(13, 29)
    drawn = f"strut = Box({width_mm}, 6, 6)\n"
    return Mistake("turned", drawn, f"Rot({axis.lower()}={angle_deg}) * strut", f"Rot({axis}={angle_deg}) * strut")


KINDS: tuple[Callable[[random.Random], Mistake], ...] = (_fillet, _chamfer, _sorted_faces, _hole, _cylinder, _turn)
