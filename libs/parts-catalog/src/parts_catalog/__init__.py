"""What parts are made of and which parts can be bought: materials, motors, fasteners, bearings, gears."""
