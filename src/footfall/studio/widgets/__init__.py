"""Controls of the studio's page: what people turn and press, as objects with values and callbacks."""
