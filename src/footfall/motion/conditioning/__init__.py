"""Clips conditioned for a body: legs that reach, feet that stay where they stand, poses fitted to the ground."""
