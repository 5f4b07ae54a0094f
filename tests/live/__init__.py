"""Against a real small model; only when JIYI_LIVE_GGUF names a GGUF file.  `make live` fetches one and runs them."""
