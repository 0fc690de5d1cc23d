"""The side of the page, one file a panel."""
