"""Measures of gait: contacts, steps, joint angles, headings."""
