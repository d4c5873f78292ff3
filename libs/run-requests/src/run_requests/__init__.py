"""What a user's client publishes, and where it comes from: the command's options, or a request of the API."""
