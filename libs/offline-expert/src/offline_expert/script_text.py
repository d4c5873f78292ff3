"""Python source of the calls in the expert's scripts."""

from collections.abc import Collection

from offline_expert.boxes import TurnedBox, Vec

_OWN_LABEL = '''\
taken = {{solid.label for solid in environment.children}}{more}


def own(label):
    """Return the label, or a longer one if a solid of the environment has it."""
    while label in taken:
        label = f"machine-{{label}}"
    return label'''


def own_label(labels: Collection[str], taken: Collection[str]) -> str:
    """Return the lines that define `own`: no part may have the label of a solid, nor one of the `taken` labels."""
    return _OWN_LABEL.format(more=f" | set({sorted(taken)!r})" if set(labels) & set(taken) else "")


def free_label(label: str, taken: Collection[str]) -> str:
    """Return the label, or a longer one if it is taken."""
    return free_label(f"machine-{label}", taken) if label in taken else label


def number(value: float) -> str:
    """Return a number rounded to a millionth, so that rounding closes no gap."""
    return repr(round(value, 6) + 0.0)


def triple(values: Vec) -> str:
    """Return a tuple of three numbers."""
    return "(" + ", ".join(number(value) for value in values) + ")"


def box_call(label: str, box: TurnedBox, more: str = "") -> str:
    """Return the line that adds a box; `more` are further arguments, each after a comma."""
    turned = f", yaw_deg={number(box.yaw_deg)}" if box.yaw_deg else ""
    pitched = f", pitch_deg={number(box.pitch_deg)}" if box.pitch_deg else ""
    sizes = f"size_mm={triple(box.size)}, center_mm={triple(box.center)}"
    return f'box_part("{label}", {sizes}{turned}{pitched}{more})\n'
