from build123d import Box, Compound, Plane, Polygon, Pos, extrude


def build(variant):
    profile = Polygon((0, 0), (200, 0), (200, 150), (160, 150), (10, 200), (0, 200), align=None)
    platform = extrude(Plane.XZ * profile, 100, both=True)
    platform.label = "platform"
    pit = Pos(375, 0, -10) * Box(750, 300, 20)
    pit.label = "pit"
    bank = Pos(585, 0, 40) * Box(330, 200, 80)
    bank.label = "bank"
    return Compound(children=[platform, pit, bank])
