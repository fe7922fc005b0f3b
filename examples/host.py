"""A shop with a page and users of its own, and landing pages by landform inside it.

Visitors see `/`, which shows what landform publishes. Editors sign in to the shop, and may then
use landform's API below `/landing`. Run `flask --app examples/host run`.
"""

import secrets
from os import environ

from flask import Flask, redirect, render_template_string, request, session, url_for
from werkzeug.security import check_password_hash, generate_password_hash

from landform.service import Identity, create_blueprint

EDITORS = {"ada": generate_password_hash(environ.get("SHOP_PASSWORD", "change-me"))}
RIGHTS = frozenset({"pages:read", "pages:write", "feeds:read", "feeds:write"})
HOME = """<!doctype html><meta charset="utf-8"><title>The shop</title>
<h1>The shop</h1>
<main>{% for page in pages %}
<h2>{{ page.title.rendered | safe }}</h2>{{ page.content.rendered | safe }}
{% endfor %}</main>
{% if session.editor %}
<p>Signed in as {{ session.editor }}.
<form id="offer"><input name="title" placeholder="Title">
<textarea name="content" placeholder="Content"></textarea><button>Publish</button></form>
{% else %}
<form method="post" action="{{ url_for('sign_in') }}"><input name="name" placeholder="Name">
<input name="password" type="password" placeholder="Password"><button>Sign in</button></form>
{% endif %}
<script type="module">
document.querySelector("#offer")?.addEventListener("submit", async (event) => {
    event.preventDefault();
    await fetch("/landing/pages", {method: "POST", body: new FormData(event.target)});
    location.reload();
});
</script>"""


def who_is_calling(request):
    """Return the editor who has signed in; None for visitors, who may read what is published."""
    name = session.get("editor")
    return Identity(name, author=1, scopes=RIGHTS) if name in EDITORS else None


def create_app(database_url="sqlite:///shop.db"):
    """Return the application."""
    shop = Flask(__name__)
    shop.config["SECRET_KEY"] = environ.get("SHOP_SECRET_KEY") or secrets.token_hex()
    # Pages of other sites cannot use the session.
    shop.config["SESSION_COOKIE_SAMESITE"] = "Lax"
    landing = create_blueprint(database_url, authorizer=who_is_calling)
    shop.register_blueprint(landing, url_prefix="/landing")

    @shop.get("/")
    def home():
        # As a visitor: only what is published, and no content behind a password.
        visitor = landing.api.as_caller(None)
        pages = visitor.list_pages(_fields="title.rendered,content.rendered")
        return render_template_string(HOME, pages=pages)

    @shop.post("/sign-in")
    def sign_in():
        name, password = request.form["name"], request.form["password"]
        if name in EDITORS and check_password_hash(EDITORS[name], password):
            session["editor"] = name
        return redirect(url_for("home"))

    @shop.errorhandler(404)
    def not_found(error):
        return f"The shop has no page {request.path}.", 404

    return shop
