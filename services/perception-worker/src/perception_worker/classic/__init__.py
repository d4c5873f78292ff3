"""Perception without models: structure from motion, optical flow and colour, by OpenCV on the CPU."""
