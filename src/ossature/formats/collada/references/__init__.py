"""Robots and calibrations of other documents, to which a document refers."""
