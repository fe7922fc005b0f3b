"""Files as WordPress exports them."""

from pathlib import Path
from typing import Any

HEAD = """<?xml version="1.0" encoding="UTF-8" ?>
<rss version="2.0" xmlns:excerpt="http://wordpress.org/export/1.2/excerpt/"
 xmlns:content="http://purl.org/rss/1.0/modules/content/"
 xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:wp="http://wordpress.org/export/1.2/">
<channel><wp:base_blog_url>{home}</wp:base_blog_url>
<wp:author><wp:author_id>7</wp:author_id><wp:author_login>ana</wp:author_login></wp:author>
"""
ITEM = """<item><title><![CDATA[{title}]]></title><link>{link}</link>
<dc:creator><![CDATA[{creator}]]></dc:creator>
<content:encoded><![CDATA[{content}]]></content:encoded>
<excerpt:encoded><![CDATA[]]></excerpt:encoded>
<wp:post_id>{id}</wp:post_id><wp:post_date>{date}</wp:post_date>
<wp:post_date_gmt>{gmt}</wp:post_date_gmt><wp:post_modified>{modified}</wp:post_modified>
<wp:post_modified_gmt>{modified}</wp:post_modified_gmt><wp:post_name>{slug}</wp:post_name>
<wp:status>{status}</wp:status><wp:post_parent>0</wp:post_parent><wp:menu_order>0</wp:menu_order>
<wp:post_type>{type}</wp:post_type><wp:post_password>{password}</wp:post_password>{meta}</item>
"""
META = (
    "<wp:postmeta><wp:meta_key>{}</wp:meta_key><wp:meta_value>"
    "<![CDATA[{}]]></wp:meta_value></wp:postmeta>"
)
PAGE = {
    "id": 5, "title": "Tïtle & more", "link": "https://shop.example/summer/", "creator": "ana",
    "content": "<!-- wp:paragraph --><p>Hi</p><!-- /wp:paragraph -->",
    "date": "2026-07-01 12:00:00", "gmt": "2026-07-01 10:00:00", "modified": "2026-07-02 08:00:00",
    "slug": "summer", "status": "publish", "type": "page", "password": "secret", "meta": "",
}  # fmt: skip


def written(folder: Path, *items: dict[str, Any], home: str = "https://shop.example") -> Path:
    file = folder / "export.xml"
    body = "".join(ITEM.format(**{**PAGE, **item}) for item in items)
    file.write_text(f"{HEAD.format(home=home)}{body}</channel></rss>", "utf-8")
    return file
