"""What the OpenAPI document adds to tables of all operations (see `part_tables.py`)."""

# Requests that anybody may send, also with wrong credentials.
DISCOVERY = ["GET /openapi.json", "GET /docs", "GET /docs/docs.css"]
# Paths of operations whose responses no schema describes.
WITHOUT_SCHEMA = r"/docs.*|/openapi\.json"
# Paths of operations that accept any parameter.
DEAF = ["/openapi.json", "/docs", "/docs/<file>"]
