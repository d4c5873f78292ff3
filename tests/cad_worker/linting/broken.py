"""Scripts with one fault each, and what a linter must say of it: line, and a word of the message."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Broken:
    """One fault."""

    body: str
    """Stands below the two lines of imports."""
    line: int
    word: str


BROKEN: dict[str, Broken] = {
    "an undefined name under star imports": Broken("base = Bxo(1, 2, 3)", 3, "Bxo"),
    "an undefined name in a function": Broken("def f():\n    return widht * 2\n\n\nprint(f())", 4, "widht"),
    "a tool that was not imported": Broken("simulate(Box(1, 1, 1))", 3, "simulate"),
    "a module that was not imported": Broken("print(np.zeros(3))", 3, "np"),
    "a misspelt attribute": Broken("print(Box(1, 2, 3).volum)", 3, "volum"),
    "a misspelt attribute that is set": Broken('box = Box(1, 2, 3)\nbox.lable = "x"', 4, "lable"),
    "a misspelt attribute of what a method returns": Broken("print(Box(1, 1, 1).bounding_box().size.x)", 3, '"x"'),
    "a misspelt method of a list of faces": Broken("print(Box(1, 1, 1).faces().sort_on(Axis.Z))", 3, "sort_on"),
    "a misspelt method of an own class": Broken(
        "class Leg:\n    def solid(self):\n        return Box(1, 1, 1)\n\n\nprint(Leg().solids_())", 8, "solids_"
    ),
    "an enumeration without such a member": Broken("box = Box(1, 1, 1, align=Align.CENTRE)", 3, "CENTRE"),
    "a missing argument": Broken("rod = Cylinder(5)", 3, "height"),
    "an argument too many": Broken("ball = Sphere(5, height=3)", 3, "height"),
    "a missing argument of an own function": Broken("def f(a, b):\n    return a + b\n\n\nprint(f(1))", 7, '"b"'),
    "a name that is gone": Broken("width = 3\ndel width\nprint(width)", 5, "width"),
    "a name of a function used outside of it": Broken(
        "def f():\n    width = 3\n    return width\n\n\nf()\nprint(width)", 9, "width"
    ),
    "a syntax error": Broken("def f(:\n    pass", 3, "parameter"),
    "an unclosed bracket": Broken("box = Box(1, 2,\nprint(box)\n", 3, ""),
    "a return outside of a function": Broken("return 5", 3, "return"),
    "a misspelt attribute of the benchmark": Broken("print(benchmark.goal_zones)", 3, "goal_zones"),
    "a misspelt attribute after an operator": Broken(
        "part = Pos(0, 0, 5) * Box(1, 2, 3)\nprint(part.centre())", 4, "centre"
    ),
    "a manufacturing method that is none": Broken("print(ManufacturingMethod.MILLING)", 3, "MILLING"),
    "a misspelt attribute in a function": Broken(
        "def volume_of(part: Part) -> float:\n    return part.volumes()\n\n\nprint(volume_of(Box(1, 1, 1)))",
        4,
        "volumes",
    ),
    "a location that has no such coordinate": Broken("print(Location((1, 2, 3)).position.W)", 3, "W"),
    "a printf that has no argument": Broken('print("{} {}".format(1))', 3, "format"),
}
