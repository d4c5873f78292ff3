"""What of a conversation fits into a prompt."""
