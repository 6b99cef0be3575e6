"""One scene file run many times with other values, on this machine or on a cluster."""
