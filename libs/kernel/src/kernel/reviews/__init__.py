"""What a critic can do in its kernel: run the submitted scene again, count, and look at loads and economy."""
