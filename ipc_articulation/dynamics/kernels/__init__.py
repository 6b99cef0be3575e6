"""What compiled algorithms are made of: the records of a tree, spatial vectors, and the recursions over the tree."""
