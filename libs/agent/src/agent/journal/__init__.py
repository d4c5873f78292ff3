"""What a role wrote down of its run, and the conversation behind each entry."""
