"""A recording played in the browser with viser: from a small server, or as one file that needs none."""
