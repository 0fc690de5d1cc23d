"""Parsing and writing of XML, YAML, CSV and number arrays, with source locations; independent of robot models."""
