"""Process-wide parts."""
