"""The WSGI application: `wsgi:app` in a checkout, `landform.wsgi:app` installed."""

from landform.app import create_app

app = create_app()
