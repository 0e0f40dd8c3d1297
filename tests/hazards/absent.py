"""Ids of the catalogue that no program of the suite has, and why."""
NOT_HERE = {
}
