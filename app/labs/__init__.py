"""The laboratories: one question each, one picture that answers it, the knobs that matter."""
