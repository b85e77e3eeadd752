"""What it costs: time, bytes, memory; always next to something known, measured in the same run. See `__main__`."""
