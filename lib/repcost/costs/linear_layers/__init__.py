"""Phi_L, the cost of a network with added linear layers."""
