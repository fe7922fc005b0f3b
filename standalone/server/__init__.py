"""The gunicorn worker of the standalone service: no thread waits for a slow client."""
