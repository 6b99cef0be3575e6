"""A scene of one proxy body with given mass properties, and animators for it."""

from __future__ import annotations

import numpy as np
from uipc.constitution import AffineBodyConstitution

from tests.engine.scenes import BoxScene


class ProxyScene(BoxScene):
    """Bodies without geometry, made from rigid-body mass properties; no contact."""

    def __init__(self, workspace, gravity=(0.0, 0.0, 0.0), **config):
        super().__init__(workspace, gravity=gravity, contact__enable=0, **config)

    def add_proxy(self, mass=2.0, center=(0.0, 0.0, 0.0), inertia=(1.0, 1.0, 1.0), kappa=1e8, volume=0.01, apply=()):
        """Add a body; `apply` holds functions of its geometry, called before it enters the scene."""
        geometry = AffineBodyConstitution().create_proxy(
            kappa, mass, np.array(center, dtype=float), np.diag(np.array(inertia, dtype=float)), volume
        )
        for function in apply:
            function(geometry)
        self.object = self.scene.objects().create(f"proxy {len(self.slots)}")
        self.slots.append(self.object.geometries().create(geometry)[0])
        return self.slots[-1]

    def animate(self, callback):
        """Let a callback of (instances, info) run before each step on the body added last."""

        def animation(info):
            callback(info.geo_slots()[0].geometry().instances(), info)

        self.scene.animator().insert(self.object, animation)
