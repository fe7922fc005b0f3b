"""Mail servers: a session with one, in which time, bytes and replies are bounded and checked.

`smtplib` alone waits anew for each byte, reads lines without end, and takes what is no reply for
success. Errors do not repeat what a server says, which may have addresses of an entry.
"""

import logging
import re
import smtplib
import socket
import ssl
from collections.abc import Mapping
from contextlib import closing, suppress
from time import monotonic
from typing import Any

from landform.parts.http_client import connect, seconds_until
from landform.parts.leads.addons import AddonError
from landform.parts.leads.options import SmtpServer

log = logging.getLogger("landform")
# In seconds: until the end of the mail is sent; then until the server has accepted it (RFC 5321,
# 4.5.3.2.6); and the pause if it has not said whether it did.
TIMEOUT, LONGEST_CHECK, PAUSE_IF_UNKNOWN = 30.0, 600.0, 6 * 3600.0
# How many bytes of replies are read.
MOST_BYTES = 65_536
LOOPBACK = ("localhost", "127.0.0.1", "::1")
REPLY_LINE = re.compile(rb"([2-5][0-9]{2})(?:([ -])([^\r\n]*))?\r?\n")
LINE_START = re.compile(rb"^\.", re.MULTILINE)
# Why an address is refused: by the end of the enhanced code (RFC 3463), or by the code.
REASONS = {
    **{"1.1": "no such mailbox", "1.2": "no such domain", "2.2": "the mailbox is full"},
    **{"7.1": "the server does not send to it", "452": "the server has no room now"},
    **{"550": "no such mailbox", "551": "no such mailbox", "553": "no such mailbox"},
    **{"552": "the mailbox is full", "450": "not now", "451": "not now"},
}
ENHANCED_CODE = re.compile(rb"[45]\.([0-9]{1,3}\.[0-9]{1,3})\b")
UNKNOWN = "Perhaps the mail was sent: the mail server did not say."
NOT_ENCRYPTED = "The mail server offers no encryption, which a password needs."
REFUSED = "The mail server refused {}."
REACHED_OTHERS = "The mail was sent to the others. "


class NotSmtp(ConnectionError):
    """A server answers with what is no reply, or before it is asked."""


# What goes wrong, in words; the first that applies.
PROBLEMS: Mapping[type[Exception], str] = {
    TimeoutError: "The mail server did not answer in time.",
    NotSmtp: "What answers is no mail server.",
    ssl.SSLCertVerificationError: "The certificate of the mail server is not trusted.",
    ssl.SSLError: "The connection to the mail server cannot be encrypted.",
    smtplib.SMTPException: "The mail server refused to sign this service in.",
    OSError: "The mail server cannot be reached.",
    Exception: "The mail server cannot be used.",
}


def deliver(server: SmtpServer, message: bytes, recipients: Mapping[str, str]) -> None:
    """Send a mail, with CRLF at its line ends, to the recipients that the server accepts.

    `recipients`: what each address is called in an error. Raises `AddonError`, also if only some
    are refused: then the others have got it.
    """
    try:
        with closing(Session(server)) as session:
            session.begin()
            sender = session.docmd("MAIL", f"FROM:<{server.sender}>")
            check(sender, 250, f"the sender {server.sender}")
            replies = [session.docmd("RCPT", f"TO:<{address}>") for address in recipients]
            refused = {
                name: reply
                for name, reply in zip(recipients.values(), replies, strict=True)
                if reply[0] not in (250, 251)
            }
            if len(refused) < len(recipients):
                session.send_mail(message)
    except (OSError, ValueError) as error:
        log.warning("The server of LANDFORM_SMTP_URL cannot be used: %s", _detail(error))
        words = (text for kind, text in PROBLEMS.items() if isinstance(error, kind))
        raise AddonError(next(words)) from None
    if refused:
        text = REFUSED.format("; ".join(f"{name}: {_reason(*refused[name])}" for name in refused))
        if len(refused) < len(recipients):
            raise AddonError(f"{REACHED_OTHERS}{text}", retryable=False)
        raise AddonError(text, retryable=any(code < 500 for code, _ in refused.values()))


def check(reply: tuple[int, bytes], code: int, step: str) -> None:
    """Raise `AddonError` unless a reply has a code; others refuse the `step`."""
    if reply[0] != code:
        message = REFUSED.format(f"{step} ({reply[0]})")
        raise AddonError(message, retryable=reply[0] < 500)


def _reason(code: int, text: bytes) -> str:
    """Return why an address is refused, with the code of the reply."""
    enhanced = ENHANCED_CODE.match(text)
    key = enhanced[1].decode() if enhanced and enhanced[1].decode() in REASONS else str(code)
    return f"{REASONS[key]} ({code})" if key in REASONS else f"code {code}"


def _detail(error: Exception) -> str:
    """Return what operators may know of an error: its type, and what the system says."""
    is_reply = isinstance(error, smtplib.SMTPException) or not isinstance(error, OSError)
    return type(error).__name__ + ("" if is_reply else f" {error.strerror or error}".rstrip())  # type: ignore[attr-defined]


class Session(smtplib.SMTP):
    """A session with a mail server, until `deadline`, which is a time of `time.monotonic`."""

    sock: socket.socket

    def __init__(self, server: SmtpServer) -> None:
        super().__init__(local_hostname=server.sender.partition("@")[2])
        self._server, self.deadline = server, monotonic() + TIMEOUT
        # How many bytes may come yet, and those that came and are not read.
        self._allowed, self._received = MOST_BYTES, b""
        self.sock = connect(server.host, server.port, self.deadline)

    def begin(self) -> None:
        """Greet the server, encrypt the connection if it can, and sign in.

        A password is sent unencrypted to this machine only.
        """
        if self._server.is_secure:
            self._encrypt()
        check(self.getreply(), 220, "the connection")
        self._greet()
        if not self._server.is_secure and self.has_extn("starttls"):
            check(self.docmd("STARTTLS"), 220, "to encrypt the connection")
            self._encrypt()
            self._greet()
        elif self._server.user and not self._server.is_secure and self._server.host not in LOOPBACK:
            raise AddonError(NOT_ENCRYPTED)
        if self._server.user:
            self.login(self._server.user, self._server.password)

    def send_mail(self, message: bytes) -> None:
        """Send a mail to the accepted recipients; raises `AddonError`.

        A server may check a mail for minutes after its end. If it does not say then whether it
        accepts it, another attempt at once would perhaps repeat it.
        """
        check(self.docmd("DATA"), 354, "the mail")
        self.send(LINE_START.sub(b"..", message))
        self.deadline = monotonic() + LONGEST_CHECK
        try:
            self.send(b".\r\n")
            reply = self.getreply()
        except OSError as error:
            log.warning("A mail server did not say if it accepts a mail: %s", _detail(error))
            raise AddonError(UNKNOWN, retry_after=PAUSE_IF_UNKNOWN) from None
        if reply[0] < 400 and reply[0] != 250:
            raise AddonError(UNKNOWN, retry_after=PAUSE_IF_UNKNOWN)
        check(reply, 250, "the mail")
        with suppress(OSError):
            self.putcmd("QUIT")

    def send(self, s: Any) -> None:
        """Send text or bytes, unless there is a reply before its question."""
        if self._received:
            raise NotSmtp
        unsent = memoryview(s.encode("ascii") if isinstance(s, str) else s)
        while unsent:
            self.sock.settimeout(seconds_until(self.deadline))
            unsent = unsent[self.sock.send(unsent) :]

    def getreply(self) -> tuple[int, bytes]:
        """Read a reply: its code, and its lines without that."""
        codes, texts, is_last = set[bytes](), list[bytes](), False
        while not is_last:
            match = REPLY_LINE.fullmatch(self._read_line())
            if match is None:
                raise NotSmtp
            codes.add(match[1])
            texts.append(match[3] or b"")
            is_last = match[2] != b"-"
        if len(codes) > 1:
            raise NotSmtp
        return int(codes.pop()), b"\n".join(texts)

    def _read_line(self) -> bytes:
        while b"\n" not in self._received:
            self.sock.settimeout(seconds_until(self.deadline))
            received = self.sock.recv(min(1024, self._allowed))
            if not received:
                raise ConnectionResetError if self._allowed else NotSmtp
            self._allowed -= len(received)
            self._received += received
        line, end, self._received = self._received.partition(b"\n")
        return line + end

    def _greet(self) -> None:
        if self.ehlo()[0] != 250:
            check(self.helo(), 250, "the connection")

    def _encrypt(self) -> None:
        self.sock = ssl.create_default_context().wrap_socket(
            self.sock, server_hostname=self._server.host, do_handshake_on_connect=False
        )
        self.sock.settimeout(seconds_until(self.deadline))
        self.sock.do_handshake()
