"""From a checked scene to one that is ready to run: models, controllers, the libuipc scene and its world."""
