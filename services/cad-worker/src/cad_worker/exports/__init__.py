"""Files of designs and environments for users: STEP and glTF."""
