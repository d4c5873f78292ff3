"""A microcontroller board in CPython: the modules that a program imports, with a clock of its own."""

from collections.abc import Callable
from dataclasses import dataclass, field
from types import ModuleType, SimpleNamespace
from typing import Any

START_PIN = 22
WIDTH = "duty_u16"
"""MicroPython's method that sets a pulse width."""


@dataclass
class Board:
    """Pins by number, and a clock that only sleeping moves on."""

    ends_ms: int
    """When the start switch is opened."""
    clock_ms: int = 0
    widths: dict[int, int] = field(default_factory=dict[int, int])
    levels: dict[int, int] = field(default_factory=dict[int, int])
    handlers: dict[int, Callable[[Any], None]] = field(default_factory=dict[int, Callable[[Any], None]])
    history: list[tuple[float, dict[int, int]]] = field(default_factory=list[tuple[float, dict[int, int]]])
    plant: Callable[["Board"], None] = lambda board: None
    """What the motors do in a step."""

    def run(self, program: str) -> None:
        """Run a program until the switch is opened."""
        modules = {"machine": self._machine(), "time": self._time()}
        builtins: dict[str, Any] = {**vars(__import__("builtins")), "__import__": self._importer(modules)}
        exec(compile(program, "main.py", "exec"), {"__builtins__": builtins})

    def set_level(self, number: int, level: int) -> None:
        """Change an input, as an encoder does."""
        if self.levels.get(number, 0) != level:
            self.levels[number] = level
            self.handlers[number](None)

    def _importer(self, modules: dict[str, ModuleType]) -> Callable[..., Any]:
        def find(name: str, *more: Any) -> Any:
            return modules[name] if name in modules else __import__(name, *more)

        return find

    def _machine(self) -> ModuleType:
        board = self

        class Pin:
            IN, PULL_UP, IRQ_RISING, IRQ_FALLING = 0, 1, 1, 2

            def __init__(self, number: int, *_: int) -> None:
                self.number = number

            def value(self) -> int:
                if self.number == START_PIN:
                    return int(board.clock_ms >= board.ends_ms or board.clock_ms < 20)
                return board.levels.get(self.number, 0)

            def irq(self, handler: Callable[[Any], None], _: int) -> None:
                board.handlers[self.number] = handler

        class PWM:
            def __init__(self, pin: Pin) -> None:
                self.number = pin.number

            def freq(self, hertz: int) -> None:
                assert hertz in {50, 20000}

        def set_width(pwm: PWM, width: int) -> None:
            assert 0 <= width <= 65535
            board.widths[pwm.number] = width

        setattr(PWM, WIDTH, set_width)
        module: Any = ModuleType("machine")
        module.Pin, module.PWM = Pin, PWM
        return module

    def _time(self) -> ModuleType:
        def sleep_ms(duration: int) -> None:
            self.clock_ms += duration
            self.history.append((self.clock_ms / 1000, dict(self.widths)))
            self.plant(self)

        def ticks_ms() -> int:
            return self.clock_ms

        module: Any = SimpleNamespace(sleep_ms=sleep_ms, ticks_ms=ticks_ms, ticks_diff=int.__sub__)
        return module
