"""What turns text into vectors: one file each, named after the model or the technology."""
