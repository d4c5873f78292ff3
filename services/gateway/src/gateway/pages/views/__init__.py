"""What pages show, as values for their templates."""
