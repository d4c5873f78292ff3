"""Running a model: replicas, jitter, motors, sensors, trajectories."""
