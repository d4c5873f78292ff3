"""Models: providers, endpoints, failures, and conversion to LangChain's messages."""
