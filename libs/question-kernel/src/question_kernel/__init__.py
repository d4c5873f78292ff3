"""The kernel of a question: pictures, perception and a vision model, without the scene behind them."""
