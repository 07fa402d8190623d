"""Released libraries of others, audited: nobody types a neighbour, each library in an environment of its own."""
