"""States of a simulation: how it begins, what it remembers, how it goes on."""
