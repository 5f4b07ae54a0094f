"""Vectors of messages kept elsewhere than in the store."""
