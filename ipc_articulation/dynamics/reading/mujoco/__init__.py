"""Mechanisms from MuJoCo models. This folder needs `mujoco`, so it is imported only for a MuJoCo model."""
