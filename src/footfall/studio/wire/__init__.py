"""What the studio and its page say to each other: typed messages, and the state that every page sees."""
