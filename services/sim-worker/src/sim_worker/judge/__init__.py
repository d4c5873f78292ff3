"""From the sensor readings of one replica to its ending."""
