"""Files of CAD programs and modellers: from bytes to named solids, or a sentence on why there is none."""
