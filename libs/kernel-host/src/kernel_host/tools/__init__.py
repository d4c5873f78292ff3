"""What all tools of cells share on the host's side: limits, images and requests to other services."""
