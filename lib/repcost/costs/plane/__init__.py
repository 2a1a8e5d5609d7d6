"""R_L, the cost of interpolating points of the plane."""
