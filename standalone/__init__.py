"""The standalone service: settings, commands, worker, logs and metrics."""
