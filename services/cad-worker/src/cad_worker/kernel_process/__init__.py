"""What runs inside the kernel of a session."""
