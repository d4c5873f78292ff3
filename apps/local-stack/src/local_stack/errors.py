"""What goes wrong in a user's hands."""


class UserError(Exception):
    """One line that names the thing and the mend. The command prints it and leaves with exit code 2."""
