"""Times, side by side with DART in one run; ``make bench``."""
