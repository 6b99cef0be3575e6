"""Plots, pictures, films, reports and the browser, from recordings alone."""
