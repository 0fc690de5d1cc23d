"""Text ⇄ typed documents with positions; no robot knowledge."""
