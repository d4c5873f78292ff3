"""The script of a machine: a servo lifts a ball in a tray on an arm."""

LIFT_SCRIPT = """
from build123d import *
from utils import ManufacturingMethod, Positions, bonded, catalog_part, drive

post = Pos(10.35, -31.45, 35) * Box(40.7, 42.9, 70)
servo = Pos(0, -10, 79.85) * Rot(-90, 0, 0) * catalog_part("mg996r")
beam = Pos(40, 0, 79.85) * Box(100, 14, 10)
tray = Pos(110, 0, 92.85) * Box(60, 60, 36) - Pos(110, 0, 98.85) * Box(54, 54, 36)
arm = beam + tray
for label, part in (("post", post), ("servo", servo), ("arm", arm)):
    part.label = label
for part in (post, arm):
    part.metadata = {"manufacturing_method": ManufacturingMethod.PRINTING_3D, "material_id": "petg"}
hinge = RevoluteJoint("hinge", post, axis=Axis((0, 0, 79.85), (0, 1, 0)), angular_range=(-90, 30))
hinge.connect_to(RigidJoint("bore", arm, hinge.location), angle=0)
assembly = Compound(label="machine", children=[post, servo, arm])
assembly.metadata = {
    "mechanism": [
        bonded(post, "floor"),
        bonded(servo, post),
        drive(servo, joint=hinge, control=Positions(times_s=[0.5, 2.0], targets=[0, -40])),
    ]
}
"""
