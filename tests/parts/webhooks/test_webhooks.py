"""Webhooks: each receiver gets its events signed, in order and at least once, and nothing else."""

import re
import socket
import ssl
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from conftest import needs
from outbox import Outbox, outbox
from receivers import Receiver, receiver
from test_webhook_sending import raw_receiver, read_request

from landform.parts.http_client import send
from landform.parts.webhooks import storage
from landform.parts.webhooks.sending import sign
from landform.storage.models import EventState

pytestmark = pytest.mark.settings(WEBHOOK_PRIVATE=True)


def test_events_of_the_requested_types_arrive_in_order(outbox: Outbox, hook: Receiver) -> None:
    outbox.page(title="Before")
    outbox.subscribe(hook.url, types=["page.*", "feed.deleted"], description="A site")
    page = outbox.page()
    outbox.post("/feeds", json={"form_id": 1, "addon_slug": "a", "meta": {"feedName": "F"}})
    outbox.delete("/feeds/1")
    outbox.delete(f"/pages/{page['id']}")
    assert outbox.webhook()["waiting"] == 5
    outbox.drain()
    sent = [event["type"] for _, event, _, _ in hook.received]
    assert sent == [
        "page.created", "page.published", "feed.deleted", "page.trashed", "page.unpublished",
    ]  # fmt: skip
    assert [event for _, event, _, _ in hook.received if event["id"] == 3] == [
        {**outbox.get("/events?after=2&per_page=1").get_json()[0]}
        | {"data": hook.received[0][1]["data"]}
    ]
    webhook = outbox.webhook()
    assert (webhook["waiting"], webhook["delivered"], webhook["failed"]) == (0, 5, 0)
    assert [attempt["status"] for attempt in webhook["deliveries"]] == [204] * 5


def test_the_signature_is_that_of_the_published_test_vector() -> None:
    body = b'{"event_type":"ping","data":{"success":true}}'
    headers = sign(["whsec_plJ3nmyCDGBKInavdOK15jsl"], "msg_loFOjxBNrRLzqYUf", 1731705121, body)
    assert headers["webhook-signature"] == "v1,rAvfW3dJ/X/qxhsaXPOyyCGmRKsaKWcsNccKXlIktD0="


def test_an_event_is_sent_again_with_the_same_id_until_it_is_accepted(outbox: Outbox) -> None:
    fails = iter([500, 302, 404, 204, 204])
    with receiver(lambda event: (next(fails), {"Location": "http://169.254.169.254/"})) as hook:
        outbox.subscribe(hook.url)
        outbox.page()
        outbox.drain()
    assert [(status, event["id"]) for status, event, _, _ in hook.received] == [
        (500, 1), (302, 1), (404, 1), (204, 1), (204, 2),
    ]  # fmt: skip
    assert len({headers["webhook-id"] for _, _, headers, _ in hook.received}) == 2
    assert (outbox.webhook()["failed"], outbox.webhook()["failures"]) == (3, 0)


@pytest.mark.parametrize("status", [400, 413, 422])
def test_a_refused_event_is_set_aside_at_once_and_can_be_replayed(
    outbox: Outbox, status: int
) -> None:
    statuses = {1: status}
    with receiver(lambda event: (statuses.get(event["id"], 204), {})) as hook:
        outbox.subscribe(hook.url)
        outbox.page()
        outbox.drain()
        assert [event["id"] for _, event, _, _ in hook.received] == [1, 2]
        assert outbox.webhook()["set_aside"] == [1]
        statuses.clear()
        assert outbox.post("/webhooks/1/replay", json={}).get_json()["waiting"] == 1
        outbox.drain()
        assert hook.accepted == [2, 1]
        assert (outbox.webhook()["set_aside"], outbox.webhook()["waiting"]) == ([], 0)


def test_events_are_delivered_again_from_an_id_or_a_time(outbox: Outbox, hook: Receiver) -> None:
    began = datetime.now(UTC) - timedelta(seconds=5)
    outbox.page()
    outbox.subscribe(hook.url)
    outbox.post("/webhooks/1/replay", json={"after": 1})
    outbox.drain()
    outbox.post("/webhooks/1/replay", json={"since": began.isoformat(timespec="seconds")})
    outbox.drain()
    assert hook.accepted == [2, 1, 2]
    assert outbox.post("/webhooks/1/replay", json={"after": 99}).status_code == 410


def test_a_replay_during_a_delivery_is_not_lost(outbox: Outbox) -> None:
    def respond(event: dict[str, Any]) -> tuple[int, dict[str, str]]:
        if event["id"] == 2 and len(hook.received) == 1:
            outbox.post("/webhooks/1/replay", json={"after": 0})
        return 204, {}

    with receiver(respond) as hook:
        outbox.subscribe(hook.url)
        outbox.page()
        outbox.drain()
    assert hook.accepted == [1, 2, 1, 2]


def test_a_410_switches_off_and_an_active_webhook_continues_where_it_stopped(
    outbox: Outbox, caplog: pytest.LogCaptureFixture
) -> None:
    statuses = iter([204, 410, 204, 204])
    with receiver(lambda event: (next(statuses), {})) as hook:
        outbox.subscribe(f"{hook.url}?token=sesame")
        outbox.page()
        outbox.drain()
        outbox.page(status="draft")
        outbox.drain()
        webhook = outbox.webhook()
        assert (webhook["active"], webhook["waiting"]) == (False, 2)
        assert "410" in webhook["reason"]
        assert "sesame" not in caplog.text
        assert "switched off" in caplog.text
        assert outbox.patch("/webhooks/1", json={"active": True}).get_json()["reason"] == ""
        outbox.drain()
        assert hook.accepted == [1, 2, 3]


@pytest.mark.parametrize(
    "response", [(429, "120", 120), (503, "90", 90), (500, "120", 1), (429, "9" * 9, 21_600)]
)
def test_retry_after_counts_for_six_hours(outbox: Outbox, response: tuple[int, str, float]) -> None:
    status, after, most = response
    with receiver(lambda event: (status, {"Retry-After": after})) as hook:
        outbox.subscribe(hook.url)
        outbox.page()
        outbox.deliver()
    next_try = datetime.fromisoformat(outbox.webhook()["next_try"])
    assert most - 1 <= (next_try - outbox.clock.at).total_seconds() <= most
    assert len(hook.received) == 1


def test_one_process_at_a_time_delivers_until_its_lease_has_ended(
    outbox: Outbox, hook: Receiver
) -> None:
    outbox.subscribe(hook.url)
    outbox.page()
    with outbox.store.connection() as db:
        assert storage.lease(outbox.store, "another")
        assert outbox.landing.deliver() == 1.0
        assert hook.received == []
        ended = EventState.update(number=outbox.clock.seconds() - 1)
        ended.where(EventState.holder == "another").execute(db)
    outbox.drain()
    assert hook.accepted == [1, 2]


def test_a_test_returns_its_result(outbox: Outbox, hook: Receiver) -> None:
    outbox.subscribe(hook.url, active=False)
    for _ in range(2):
        result = outbox.post("/webhooks/1/test").get_json()
        assert (result["status"], result["event"]) == (204, 0)
    assert [event["type"] for _, event, _, _ in hook.received] == ["test"] * 2
    first, second = (headers["webhook-id"] for _, _, headers, _ in hook.received)
    assert first != second
    outbox.subscribe("http://127.0.0.1:1/")
    result = outbox.post("/webhooks/2/test").get_json()
    assert result["status"] == 0
    assert "refused" in result["response"]
    assert outbox.delete("/webhooks/2").get_json()["id"] == 2
    assert outbox.get("/webhooks/2").get_json()["code"] == "rest_webhook_invalid_id"


def test_expired_events_are_skipped_and_the_reason_says_so(outbox: Outbox, hook: Receiver) -> None:
    outbox.subscribe(hook.url)
    outbox.page()
    with outbox.store.connection() as db:
        EventState.insert(name="expired", number=1, holder="").execute(db)
    outbox.drain()
    assert hook.accepted == [2]
    assert "no longer kept" in outbox.webhook()["reason"]


@pytest.mark.settings(METRICS=True)
def test_metrics_have_the_figures_of_each_webhook(outbox: Outbox, hook: Receiver) -> None:
    pytest.importorskip("prometheus_client")
    outbox.subscribe(hook.url)
    outbox.subscribe("http://127.0.0.1:1/", types=["feed.*"])
    outbox.page()
    outbox.drain()
    outbox.page()
    outbox.post("/feeds", json={"form_id": 1, "addon_slug": "a", "meta": {"feedName": "F"}})
    figures = re.findall(
        r'landform_webhook_(\w+)\{webhook="(\d)"\} (\S+)', outbox.get("/metrics").text
    )
    assert figures == [
        ("waiting", "1", "3.0"), ("waiting", "2", "1.0"), ("deliveries_total", "1", "2.0"),
        ("deliveries_total", "2", "0.0"), ("failures_total", "1", "0.0"),
        ("failures_total", "2", "0.0"),
    ]  # fmt: skip


# Attacks.
def test_a_name_is_looked_up_only_once(monkeypatch: pytest.MonkeyPatch, hook: Receiver) -> None:
    asked, look_up = list[str](), socket.getaddrinfo
    port = int(hook.url.split(":")[2].split("/")[0])

    def changing(host: str, *args: Any, **kw: Any) -> Any:
        asked.append(host)
        if host == "rebind.test":
            address = "192.0.2.1" if asked.count(host) > 1 else "127.0.0.1"
            return look_up(address, port, type=socket.SOCK_STREAM)
        return look_up(host, *args, **kw)

    monkeypatch.setattr(socket, "getaddrinfo", changing)
    assert send(f"http://rebind.test:{port}/", {}, b"{}", True).status == 204
    assert asked.count("rebind.test") == 1
    assert hook.received[0][2]["Host"] == f"rebind.test:{port}"


@needs("openssl")
@pytest.mark.parametrize(
    ("host", "is_trusted", "status"),
    [("localhost", True, 204), ("localhost", False, 0), ("127.0.0.1", True, 0)],
)
def test_a_certificate_must_be_trusted_and_of_the_host(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, host: str, is_trusted: bool, status: int
) -> None:
    key, certificate = str(tmp_path / "key.pem"), str(tmp_path / "certificate.pem")
    request = ("openssl", "req", "-x509", "-nodes", "-newkey", "rsa:2048", "-subj", "/CN=localhost")
    request += ("-addext", "subjectAltName=DNS:localhost")
    subprocess.run([*request, "-keyout", key, "-out", certificate], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)

    def serve(connection: socket.socket) -> None:
        with context.wrap_socket(connection, server_side=True) as secure:
            read_request(secure)
            secure.sendall(b"HTTP/1.1 204 No Content\r\n\r\n")

    if is_trusted:
        trusting = ssl.create_default_context(cafile=certificate)
        monkeypatch.setattr("landform.parts.http_client.ssl_context", lambda: trusting)
    with raw_receiver(serve) as url:
        result = send(url.replace("http://127.0.0.1", f"https://{host}"), {}, b"{}", True)
    assert result.status == status
    assert ("certificate" in result.text.lower()) == (status == 0)
