"""Jiyi inside other people's frameworks; each part imports its framework, and nothing else imports the part."""
