"""What a WSGI server serves: `gunicorn wsgi:app` from a checkout, `landform.wsgi:app` installed."""

from landform.app import create_app

app = create_app()
