"""Simulated runs as `simulate()` returns them: the verdict, and all motion by absolute time."""

import io
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np
from contracts.models.label import label_from
from contracts.models.simulation import PhysicalEvent, SimulationResult
from numpy.typing import NDArray
from pydantic import Field, InstanceOf

from kernel.api.time_series import Floats, Series, Window, samples_between

USAGE = (
    "run.time_s, run.payload_mm, run.bodies, run.body_mm('label'), run.joints, run.joint('label'), run.motor_labels, "
    "run.motor_torque_n_m('label'), run.at(1.25), run[1.0:2.5], run.events_between(1.0, 2.5); times are absolute, in s"
)


class NotRecordedError(LookupError):
    """Nothing was recorded under this name; the message lists the names that were."""


@dataclass(frozen=True)
class RunState:
    """Positions and loads at one moment of a run."""

    time_s: float
    payload_mm: Floats
    """(3,)"""
    body_mm: dict[str, Floats]
    """Centre of mass (3,) of each body that could move."""
    joint: dict[str, float]
    """Degrees or mm from the initial pose."""
    motor_torque_n_m: dict[str, float]


@dataclass(frozen=True, eq=False)
class Recording:
    """The samples of a run, or of a window of it, as `contracts.events.simulation.Media.trajectory` describes them."""

    time_s: Floats
    payload_mm: Floats
    payload_quaternion: Floats
    bodies: tuple[str, ...]
    body_mm: Floats
    body_quaternion: Floats
    joints: tuple[str, ...]
    joint_position: Floats
    motors: tuple[str, ...]
    motor_torque_n_m: Floats
    motor_power_w: Floats
    body_start_mm: Floats
    """(bodies, 3), centres of mass at the start of the run, also in a slice."""

    @classmethod
    def read(cls, npz: bytes) -> "Recording":
        """Read a trajectory file. It contains numbers and labels, never pickled objects; others are left out."""
        with np.load(io.BytesIO(npz), allow_pickle=False) as file:
            labels = {name: tuple(str(label) for label in file[name]) for name in ("bodies", "joints", "motors")}
            known = {field.name for field in fields(cls)} - set(labels)
            numbers: dict[str, Any] = {name: file[name] for name in file.files if name in known}
        return cls(**labels, **numbers, body_start_mm=numbers["body_mm"][0])

    def part(self, samples: slice) -> "Recording":
        """Return a range of samples."""
        return Recording(
            self.time_s[samples],
            self.payload_mm[samples],
            self.payload_quaternion[samples],
            self.bodies,
            self.body_mm[samples],
            self.body_quaternion[samples],
            self.joints,
            self.joint_position[samples],
            self.motors,
            self.motor_torque_n_m[samples],
            self.motor_power_w[samples],
            self.body_start_mm,
        )


class SimulationRun(SimulationResult):
    """The verdict on a run and its motion. A slice by time is a run, too, with unchanged times.

    The fields of `SimulationResult` describe the whole nominal run, except `events`, which are those in the window.
    """

    window_s: tuple[float, float] | None = None
    """Start and end of a slice; None for a whole run."""
    recording: InstanceOf[Recording] | None = Field(default=None, exclude=True, repr=False)
    """All samples; None if they were not stored."""

    @classmethod
    def of(cls, result: SimulationResult, npz: bytes) -> "SimulationRun":
        """Return a result with its trajectory file; without one it has a verdict and no series."""
        return cls.model_validate({**dict(result), "recording": Recording.read(npz) if npz else None})

    @property
    def path(self) -> Recording:
        """All samples; raises `NotRecordedError` if they were not stored."""
        return self._recorded

    @property
    def time_s(self) -> Floats:
        """Times of the samples, (n,)."""
        return self._recorded.time_s

    @property
    def payload_mm(self) -> Series:
        """Centre of the payload, (n, 3)."""
        return self._series("payload_mm", "mm", self._recorded.payload_mm)

    @property
    def bodies(self) -> tuple[str, ...]:
        """Labels of the bodies that could move."""
        return self._recorded.bodies

    @property
    def joints(self) -> tuple[str, ...]:
        """Labels of the joints."""
        return self._recorded.joints

    @property
    def motor_labels(self) -> tuple[str, ...]:
        """Labels of the motors; `motors` has their peak loads."""
        return self._recorded.motors

    def body_mm(self, label: str) -> Series:
        """Return the centre of mass of a body, (n, 3)."""
        column = _column(label, self.bodies, "body that could move")
        return self._series(f"body_mm({label!r})", "mm", self._recorded.body_mm[:, column])

    def body_quaternion(self, label: str) -> Series:
        """Return the rotation of a body since the start, (n, 4), w first."""
        column = _column(label, self.bodies, "body that could move")
        return self._series(f"body_quaternion({label!r})", "", self._recorded.body_quaternion[:, column])

    def joint(self, label: str) -> Series:
        """Return a joint's position (n,), degrees or mm from the initial pose."""
        column = _column(label, self.joints, "joint")
        return self._series(f"joint({label!r})", "deg or mm", self._recorded.joint_position[:, column])

    def motor_torque_n_m(self, label: str) -> Series:
        """Return the torque of a motor's output shaft (n,)."""
        column = _column(label, self.motor_labels, "motor")
        return self._series(f"motor_torque_n_m({label!r})", "N m", self._recorded.motor_torque_n_m[:, column])

    def motor_power_w(self, label: str) -> Series:
        """Return the electrical power of a motor (n,)."""
        column = _column(label, self.motor_labels, "motor")
        return self._series(f"motor_power_w({label!r})", "W", self._recorded.motor_power_w[:, column])

    def at(self, time_s: float) -> RunState:
        """Return the state at a time; raise `NotSimulatedError` outside the run."""
        return RunState(
            time_s=time_s,
            payload_mm=self.payload_mm.at(time_s),
            body_mm={label: self.body_mm(label).at(time_s) for label in self.bodies},
            joint={label: float(self.joint(label).at(time_s)) for label in self.joints},
            motor_torque_n_m={label: float(self.motor_torque_n_m(label).at(time_s)) for label in self.motor_labels},
        )

    def events_between(self, from_s: float, until_s: float) -> tuple[PhysicalEvent, ...]:
        """Return the events between two times, both included."""
        return tuple(event for event in self.events if from_s <= event.time_s <= until_s)

    def __getitem__(self, window: Window) -> Self:
        if not isinstance(window, slice):  # pyright: ignore[reportUnnecessaryIsInstance] - agents write anything
            raise TypeError(f"run[{window!r}]: use run.at(1.25) for one moment, run[1.0:2.5] for a window")
        recording = self._recorded.part(samples_between(self.time_s, window, "run"))
        span = (float(recording.time_s[0]), float(recording.time_s[-1]))
        changes = {"window_s": span, "events": self.events_between(*span), "recording": recording}
        return self.model_copy(update=changes)

    def __repr__(self) -> str:
        return f"{self._verdict()} [SimulationRun {self._span()}: {USAGE}]"

    __str__ = __repr__

    @property
    def one_line(self) -> str:
        """Verdict and usage in one short line."""
        return f"{self.verdict}, {self._span()}: .payload_mm, .at(1.25), [1.0:2.5], .events"

    def _verdict(self) -> str:
        return self.summary_md.strip().partition("\n")[0]

    def _span(self) -> str:
        if self.recording is None:
            return "without its trajectory"
        piece = "" if self.window_s is None else ", a slice"
        return f"of {len(self.time_s)} samples, {self.time_s[0]:.2f} s to {self.time_s[-1]:.2f} s{piece}"

    @property
    def _recorded(self) -> Recording:
        if self.recording is None:
            raise NotRecordedError("the trajectory of this run was not stored; simulate() it again")
        return self.recording

    def _series(self, name: str, unit: str, values: NDArray[Any]) -> Series:
        return Series(name, unit, self._recorded.time_s, values, self.trajectory_digest)


def _column(label: str, known: Sequence[str], kind: str) -> int:
    label = label_from(str(label))
    if label not in known:
        raise NotRecordedError(f"there is no {kind} {label!r}; there are {', '.join(map(repr, known)) or 'none'}")
    return known.index(label)
