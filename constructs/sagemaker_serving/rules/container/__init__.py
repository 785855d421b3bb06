"""Rules on containers: their image, their variables, how they batch."""
