"""What only the standalone service has: settings, command line, probes, logs and metrics."""
