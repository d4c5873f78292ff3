from build123d import Box, Compound, Plane, Polygon, Pos, extrude
from utils import ManufacturingMethod, bond_contacts

ramp = extrude(Plane.XZ * Polygon((-90, 0.01), (20, 0.01), (-90, 60), align=None), 40, both=True)
stop = Pos(125, 0, 30) * Box(6, 120, 60)
for part, label in ((ramp, "ramp"), (stop, "stop")):
    part.label = label
    part.metadata = {"manufacturing_method": ManufacturingMethod.WATERJET, "material_id": "aluminum-6061"}
assembly = Compound(label="machine", children=[ramp, stop])
assembly.metadata = {"mechanism": [*bond_contacts(ramp, stop, to=environment)]}
