"""What reads and writes the state and the properties of bodies between steps, and how a world finds it."""
