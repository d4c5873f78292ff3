"""Hosting of kernels: sessions with their cells, files, journal, limits and recovery, whatever the cells work on."""
