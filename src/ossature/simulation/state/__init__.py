"""States of a simulation: initial state, checkpoints, and transfer to another compilation."""
