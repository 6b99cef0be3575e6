"""Recordings looked at: plots, pictures, films, the browser. Everything here needs a recording and nothing else."""
