"""The machine for simulators: URDF and SDF with the masses, shapes and joints that the judge simulated."""
