"""Sound scripts whose parts move: joints, motors, gears and what holds them."""

HINGED = """
from utils import Positions, bond_contacts, carried, catalog_part, drive, fastened

base = Pos(0, 0, 60) * Box(60, 60, 10)
base.label = "base"
legs = [Pos(x, 0, 27.5) * Box(6, 60, 55) for x in (-27, 27)]
for number, leg in enumerate(legs):
    leg.label = f"leg_{number}"
servo = Pos(0, 0, 55) * Rot(0, 0, 90) * catalog_part("mg996r")
servo.label = "servo"
arm = Box(80, 10, 6)
arm.label = "arm"
for part in (base, arm, *legs):
    part.metadata = {"manufacturing_method": ManufacturingMethod.PRINTING_3D, "material_id": "petg"}
hinge = RevoluteJoint("hinge", base, axis=Axis((0, 0, 73), (0, 0, 1)), angular_range=(-90, 90))
hinge.connect_to(RigidJoint("pin", arm, Pos(-35, 0, 0)), angle=0)
assembly = Compound(label="machine", children=[base, arm, servo, *legs])
assembly.metadata = {
    "mechanism": [
        *bond_contacts(base, *legs, to=environment),
        fastened(base, servo, "iso4762-m4x16", at=[(0, -6, 65), (0, 20, 65)], into=(0, 0, -1)),
        carried("hinge", "608zz"),
        drive(servo, joint=hinge, control=Positions(times_s=[0.5, 2.5], targets=[0, 60])),
    ]
}
"""

GEARED = """
from utils import HARDWARE, Constant, Oscillation, Steps, bonded, catalog_part, drive, gears, rack

plate = Box(100, 60, 5)
wheels = [Cylinder(10, 6), Cylinder(20, 6)]
for number, wheel in enumerate(wheels):
    axis = Axis((30 * number, 0, 5), (0, 0, 1))
    RevoluteJoint(f"axle_{number}", plate, axis=axis).connect_to(RigidJoint("bore", wheel), angle=0)
cart = Pos(0, 40, 0) * Box(20, 10, 10)
slide = LinearJoint("slide", to_part=plate, axis=Axis((0, 40, 12), (1, 0, 0)), linear_range=(0, 60))
slide.connect_to(RigidJoint("seat", to_part=cart), position=0)
motor = catalog_part("pololu-37d-50")
ball = BallJoint("ball", cart, Pos(0, 0, 5))
bore = CylindricalJoint("bore", cart, axis=Axis.Z, linear_range=(0, 5))
mechanism = [
    bonded("motor", "plate"),
    gears("axle_0", "axle_1", ratio=-10 / 20),
    rack("axle_0", "slide", pinion_radius_mm=10),
    drive(motor, joint="axle_0", control=Steps(times_s=[0, 3], shares=[0.5, 0])),
    drive(motor, joint="axle_0", control=Constant(share=-1)),
    drive(motor, joint="slide", control=Oscillation(amplitude=5, frequency_hz=1), pinion_radius_mm=10),
]
print(HARDWARE.splitlines()[0], slide.position, len(mechanism), ball.label, bore.location.position.X)
"""

JOINTED = {"hinged": HINGED, "geared": GEARED}
