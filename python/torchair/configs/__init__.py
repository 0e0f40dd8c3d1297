"""Configuration of backends."""
