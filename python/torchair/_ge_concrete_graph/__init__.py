"""From an FX graph to a GE graph, its passes, its dumps and its execution."""
