"""The report of an import says of each row what is to be said of it."""

from landform.standalone.wordpress.report import Report, note
from landform.storage.maintenance.origins import Origin


def test_what_is_said_of_a_feed_stays_where_a_page_with_its_id_is_left_out() -> None:
    report = Report("shop.example")
    report.add([Origin("page", 5, outcome="left-out"), Origin("page", 6, outcome="created")])
    report.add([Origin("feed", 5, outcome="created", notes=(note("nul"),))])
    assert [(one["resource"], one["ids"]) for one in report.as_json()["notes"]] == [("feed", [5])]
