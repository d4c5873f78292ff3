"""What a design must keep. Every rule returns all it finds; each finding says where, how much and what to do."""
