"""The place of sessions before kernel_host: runners outside of this repository import from it."""
