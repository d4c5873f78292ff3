"""Perception without models: structure from motion by OpenCV and scipy on the CPU."""
