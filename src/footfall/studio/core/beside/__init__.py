"""What is shown beside the walker: a 3LP walker, a motion clip."""
