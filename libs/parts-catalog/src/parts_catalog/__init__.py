"""Engineering materials and parts that can be bought: motors, fasteners, bearings, gears, stock."""
