"""Write each published page as an HTML file: `static_site.py URL FOLDER`.

Reads the list page by page, and writes only files that have changed.
"""

import json
import re
import sys
from html import escape
from pathlib import Path
from urllib.request import urlopen

FIELDS = "slug,modified,title.rendered,content.rendered,meta.language"
PAGE = """<!doctype html>
<html{language}>
<head><meta charset="utf-8"><title>{plain}</title></head>
<body>
<h1>{title}</h1>
{content}
</body>
</html>
"""


def published(base):
    """Yield every published page of a service, the oldest first."""
    number, last = 1, 1
    while number <= last:
        query = f"per_page=100&page={number}&orderby=id&order=asc&_fields={FIELDS}"
        with urlopen(f"{base}/pages?{query}") as response:
            # The total may change while pages are read.
            last = int(response.headers["X-WP-TotalPages"])
            yield from json.load(response)
        number += 1


def html(page):
    """Return a page as a document. Titles and content are HTML already; meta is text."""
    languages = page["meta"]["language"]
    language = f' lang="{escape(str(languages[0]))}"' if languages else ""
    title, content = page["title"]["rendered"], page["content"]["rendered"]
    plain = re.sub("<[^>]*>", "", title)
    return PAGE.format(language=language, title=title, plain=plain, content=content)


def write_site(base, folder):
    """Write all pages and remove files of pages that are gone. Return the names that changed."""
    folder.mkdir(parents=True, exist_ok=True)
    gone, changed = {file.name for file in folder.glob("*.html")}, []
    for page in published(base):
        file, text = folder / f"{page['slug']}.html", html(page)
        gone.discard(file.name)
        if not file.exists() or file.read_text(encoding="utf-8") != text:
            file.write_text(text, encoding="utf-8")
            changed.append(file.name)
    for name in sorted(gone):
        (folder / name).unlink()
        changed.append(name)
    return changed


if __name__ == "__main__":
    for name in write_site(sys.argv[1].rstrip("/"), Path(sys.argv[2])):
        print(name)
