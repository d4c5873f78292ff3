"""Another name of the kernel's API, which older examples use."""
