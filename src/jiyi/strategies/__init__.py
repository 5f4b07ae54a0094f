"""The ways of remembering, one file each.  A strategy proposes; ``jiyi.assembly`` disposes."""
