"""What-if studies: a walk whose body is changed, before and after it adapted."""
