"""The commands, one module for each part of the journey."""
