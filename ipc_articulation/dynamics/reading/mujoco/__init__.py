"""Mechanisms from MuJoCo models. Nothing imports this folder but for a MuJoCo model: its files need `mujoco`."""
