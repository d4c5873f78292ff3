"""A cart that a motor drives along a rail: the sound design that tests of drives change."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from build123d import Cylinder, Part, Pos, Rot
from catalog_shapes.bought_parts import bought_part
from contracts.models.design import Finding
from contracts.models.geometry import Vector
from contracts.models.mechanism import Connection, Control, Joint, Motor, Positions, Range

from tests.support.designs import Designs, MechanismItem

GAP_MM = 0.01
START_MM = -60.0


def bond(first: str, second: str) -> Connection:
    return Connection(first=first, second=second, means="bonded")


@dataclass(frozen=True)
class DrivenCart:
    """A cart 60 mm long on a rail of 200 mm, with its motor on top and the pinion beside the rail below."""

    pinion_mm: float = 10.0
    motor_id: str = "pololu-25d-hp-47"
    control: Control = field(default_factory=lambda: Positions(times_s=(2.0,), targets=(100.0,)))
    travel_mm: Range | None = (-1.0, 120.0)
    pinion_off_mm: Vector = (0.0, 0.0, 0.0)
    motor_off_mm: Vector = (0.0, 0.0, 0.0)
    motor_turned_deg: Vector = (180.0, 0.0, 0.0)
    rail_mm: Vector = (200.0, 10.0, 30.0)
    rail_center_mm: Vector = (0.0, 0.0, 15.0)
    axis: Vector = (1.0, 0.0, 0.0)
    pinion: Part | None = None
    """In place of the disc, at the origin and about z."""

    @property
    def shaft_mm(self) -> float:
        """Distance of the shaft from the middle of the rail."""
        return 5.0 + self.pinion_mm + GAP_MM

    def parts(self, designs: Designs) -> list[Part]:
        dx, dy, dz = self.motor_off_mm
        motor: Part = (
            Pos(START_MM + dx, self.shaft_mm + dy, 37.0 + GAP_MM + dz)
            * Rot(*self.motor_turned_deg)
            * bought_part(self.motor_id)
        )
        motor.label = "motor"
        vars(motor)["metadata"] = {"catalog_id": self.motor_id}
        px, py, pz = self.pinion_off_mm
        at = Pos(START_MM + px, self.shaft_mm + py, 26.0 + pz)
        disc = Cylinder(self.pinion_mm, 8.0) if self.pinion is None else self.pinion
        width = self.shaft_mm + 40.0
        return [
            designs.part("rail", self.rail_mm, self.rail_center_mm),
            designs.part("cart", (60.0, width, 6.0), (START_MM, width / 2 - 5.0, 34.0)),
            designs.as_part("pinion", at * disc),
            motor,
        ]

    def drive(self, **changes: object) -> Motor:
        fields = {"part": "motor", "joint": "slide", "control": self.control, "pinion": "pinion", "rack": "rail"}
        return Motor.model_validate({**fields, **changes})

    def mechanism(self, motor: Motor | None = None) -> list[MechanismItem]:
        slide = Joint(
            label="slide",
            kind="linear",
            parent="rail",
            child="cart",
            anchor_mm=(START_MM, 0.0, 30.5),
            axis=self.axis,
            travel_range_mm=self.travel_mm,
        )
        return [bond("rail", "floor"), bond("motor", "cart"), slide, motor or self.drive()]

    def findings(
        self, designs: Designs, *extra: MechanismItem, motor: Motor | None = None, parts: Sequence[Part] = ()
    ) -> tuple[Finding, ...]:
        all_parts = [*self.parts(designs), *parts]
        return designs.judge(*all_parts, mechanism=[*self.mechanism(motor), *extra]).findings
