"""Checking many files: configuration, choice of rules, suppression, a cache of results, and parallel processes."""
