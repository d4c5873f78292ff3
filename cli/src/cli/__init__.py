"""The millwright command and the one-machine stack."""
