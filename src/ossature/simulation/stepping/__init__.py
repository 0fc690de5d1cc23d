"""Time stepping of a World: commands, drives, force elements and integrators."""
