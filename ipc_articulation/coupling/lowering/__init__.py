"""Ball and free joints lowered to revolute and prismatic ones with ghost bodies, for libuipc's own engines."""
