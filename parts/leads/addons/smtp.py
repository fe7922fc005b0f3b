"""Sending of mail by SMTP, to the server of `LANDFORM_SMTP_URL`."""

import smtplib
import ssl
from contextlib import closing, suppress
from email.message import EmailMessage

from landform.parts.leads.addons import AddonError
from landform.parts.leads.options import SmtpServer

# In seconds, for each step.
TIMEOUT = 10.0
LOOPBACK = ("localhost", "127.0.0.1", "::1")


def send_mail(server: SmtpServer, message: EmailMessage, recipients: list[str]) -> None:
    """Send a mail to all recipients or to none; raises `AddonError`.

    The errors do not repeat what the server says, which may have addresses.
    """
    try:
        with closing(_connect(server)) as client:
            codes = [client.mail(server.sender)[0], *(client.rcpt(name)[0] for name in recipients)]
            refused = next((code for code in codes if code >= 400), None)
            code = refused or client.data(message.as_bytes())[0]
            # What is accepted stays so, whatever becomes of the connection.
            with suppress(OSError, smtplib.SMTPException):
                client.quit()
    except smtplib.SMTPResponseException as error:
        code = error.smtp_code
        if isinstance(error, smtplib.SMTPAuthenticationError):
            raise AddonError("The mail server refused the credentials.") from None
    except (OSError, smtplib.SMTPException) as error:
        raise AddonError(f"The mail server cannot be used: {type(error).__name__}.") from None
    if code >= 400:
        raise AddonError(f"The mail server answered {code}.", retryable=code < 500)


def _connect(server: SmtpServer) -> smtplib.SMTP:
    """Return a connection that is encrypted if the server can, and signed in.

    A password is sent unencrypted to this machine only.
    """
    context, name = ssl.create_default_context(), server.sender.partition("@")[2]
    client: smtplib.SMTP
    if server.is_secure:
        client = smtplib.SMTP_SSL(server.host, server.port, name, timeout=TIMEOUT, context=context)
    else:
        client = smtplib.SMTP(server.host, server.port, name, timeout=TIMEOUT)
    try:
        client.ehlo_or_helo_if_needed()
        if not server.is_secure and client.has_extn("starttls"):
            client.starttls(context=context)
        elif server.user and not server.is_secure and server.host not in LOOPBACK:
            raise AddonError("The mail server offers no encryption, which a password needs.")
        if server.user:
            client.login(server.user, server.password)
    except BaseException:
        client.close()
        raise
    return client
