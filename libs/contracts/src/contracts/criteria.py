"""Figures by which designs are judged, for the workers that judge and for the prompts that state them.

A worker's figure that no agent needs stays in the worker.
"""

CONTACT_GAP_MM = 0.05
"""Largest gap over which bodies count as touching, and glue holds."""

JITTER_START_MM = 5.0
"""Of a replica's start, unless the benchmark states another: horizontally in both directions; vertically only upwards,
because the payload may rest on something."""
START_RESERVE_MM = 3.0
"""Free space that a start needs beyond its jitter: replicas also turn the payload a little."""
JITTER_FRICTION = (0.8, 1.2)
JITTER_MASS = (0.9, 1.1)
"""Of the payload."""

AT_REST_M_S = 0.01
"""A slower payload is at rest: contacts let a cube on a slope creep at some tenths of a millimetre per second."""
PRESSED_MM = 0.25
"""Beyond the protrusion of the collision shapes. In the suite, the payload at rest sinks in by 0.06 mm."""
PRESSED_S = 0.01
"""In the suite, a blow is deeper than 0.2 mm for 5 ms at most."""
CLEAR_MM = 0.5
"""Parts without contacts may overlap by as much, beyond the protrusion of their shapes and the overlap at the start."""

WINDOW_SHARE = 4.0
"""Length of the window over which a motor's load is summed, over the motor's thermal limit."""
NEAR_STALL_SHARE = 0.5
"""Above this share of its stall torque a motor has no reserve for a worn gear or a low battery."""
NEAR_STALL_LIMIT_S = 1.0
"""How long a motor may give more than half of its stall torque within any four thermal limits. A start at full voltage
takes some tenths of a second; a motor that works there longer has no reserve for a worn gear or a low battery."""

BUCKLING_SAFETY = 2.0
FLEXIBLE_SHARE = 0.02
"""Of its length along the beam: a part that bends by more is not the rigid one that was simulated."""

GUIDE_GAP_MM = 5.0
"""Largest distance between a slide and its rail: the height of a carriage with small rollers."""
LEAST_GUIDE_MM = 10.0
"""Least length along the travel over which slide and rail lie side by side, or all of the shorter one."""
STOP_DEG, STOP_MM = 2.0, 1.0
"""Beyond the end of a joint's range, parts that stop it there would be inside each other."""
SHAFT_MM = 25.0
"""Largest distance from a motor's housing to the near side of its wheel: no motor of the catalog has a longer shaft."""
LEAST_PITCH_MM = 4.0
"""Least pitch radius: 16 teeth of module 0.5. A smaller wheel has no room for a shaft. An estimate."""
MESHING_MM = 1.0
"""Largest distance over which teeth mesh."""
JOINT_REACH_MM = 25.0
"""Largest distance of a part from the anchor of its joint."""
