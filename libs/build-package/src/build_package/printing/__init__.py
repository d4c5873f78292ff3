"""Files of printed parts: 3MF and STL as they lie on the bed, and plates of parts that are printed together."""
