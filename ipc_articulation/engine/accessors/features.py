"""What `world.features()` and `engine.features()` are on the CPU: our accessors, under the names of libuipc's features.

libuipc has no way for an engine in Python to offer a feature, so its own collection of them stays empty.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from uipc.core import ContactSystemFeature, DistanceDiagnoserFeature

from ipc_articulation.errors import UnsupportedError

_INSTEAD = {
    ContactSystemFeature.FeatureName: "engine.statistics.contacts has the points and forces of contacts, "
    'engine.statistics.energies["contact"] their energy',
    DistanceDiagnoserFeature.FeatureName: "engine.statistics.minimum_distance has the distance of the surfaces",
}


class Features:
    """Finds features as libuipc's `FeatureCollection` does; their methods have libuipc's names and arguments."""

    def __init__(self, offered: Mapping[Any, Callable[[], Any]]) -> None:
        """Take what gives a feature, by libuipc's classes of features."""
        self._offered = {feature.FeatureName: give for feature, give in offered.items()}

    def find(self, feature: Any) -> Any:
        """The feature of a class of libuipc, or of a name.

        Raises:
            EngineError: There is no world yet.
            UnsupportedError: The CPU engine has other means, or there is none; names what there is.
        """
        name = feature if isinstance(feature, str) else getattr(feature, "FeatureName", None)
        if name in _INSTEAD:
            raise UnsupportedError(f"the CPU engine has no feature '{name}': {_INSTEAD[name]}")
        if name not in self._offered:
            raise UnsupportedError(
                f"the CPU engine has no feature {feature!r}; it has {', '.join(map(repr, self._offered))}, which "
                "may be given as libuipc's classes, too"
            )
        return self._offered[name]()

    def to_json(self) -> list[str]:
        """The names of all features."""
        return list(self._offered)
