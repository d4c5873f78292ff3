"""The benchmark-generator's policy: it composes families of worlds at random from a seed, each with a witness."""
