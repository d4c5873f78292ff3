"""Models: providers, endpoints, failures, prices, and conversion to LangChain's messages."""
