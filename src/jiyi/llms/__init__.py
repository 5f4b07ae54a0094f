"""What answers: one file each, named after the protocol or the technology."""
