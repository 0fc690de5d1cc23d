"""What moves a World at each step: commands, drives, and the loop around the engine's step."""
