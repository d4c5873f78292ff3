"""Power and control of a machine with motors: what feeds and drives them, wiring, schedule and program."""
