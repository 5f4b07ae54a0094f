"""Jiyi (记忆): long-term memory for chatbots and agents."""

__version__ = "0.1.0"
