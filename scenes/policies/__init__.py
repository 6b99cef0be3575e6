"""Scripted policies for the example scenes that are tasks for learning."""
