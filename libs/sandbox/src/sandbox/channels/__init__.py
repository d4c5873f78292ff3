"""What connects a confined child with its host: control messages, printed text, images."""
