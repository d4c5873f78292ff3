"""Reviews plans before the work and designs after the simulation."""
