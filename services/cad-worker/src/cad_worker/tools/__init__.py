"""What the tools of all sessions share: requests to other services, and the time that they may compute."""
