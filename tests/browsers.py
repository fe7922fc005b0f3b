"""A real browser, and what a person does in it: a plugin of the suite.

There is one browser for each process of pytest; every test has an empty one.
"""

import json
import secrets
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import Server
from processes import until

# Seconds until what is waited for must be there, also on a machine with much else to do.
PATIENCE = 30
BROWSER, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
ARGUMENTS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --hide-scrollbars "
    "--disable-background-networking --disable-component-update --disable-sync"
).split()
TOOLS = Path(__file__).parent / "site" / "node_modules"
AXE, VALIDATOR = TOOLS / "axe-core" / "axe.min.js", TOOLS / ".bin" / "html-validate"
has_tools = pytest.mark.skipif(not VALIDATOR.exists(), reason="make clients was not run")
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
# What has this name, or begins with it, and is used by a click.
CLICKED = "//*[self::button or self::a or self::summary or @role='button'][{}]"
NAMED = "normalize-space()={0} or @aria-label={0}", "starts-with(@aria-label, {0})"


class Page:
    """What a browser shows. What is looked for is waited for; names are those that one sees."""

    def __init__(self, driver: Any, server: Server) -> None:
        self.driver, self.server = driver, server

    def find(self, path: str, number: int = 0) -> Any:
        """Return what an XPath finds, once it is there and shown."""
        found: list[Any] = []

        def is_there() -> bool:
            try:
                shown = [
                    one for one in self.driver.find_elements("xpath", path) if one.is_displayed()
                ]
            except Exception as error:
                if not is_gone(error):
                    raise
                return False
            found[:] = shown[number : number + 1]
            return bool(found)

        until(is_there, lambda: f"{path} is not there: {self.text}", PATIENCE)
        return found[0]

    def button(self, name: str, number: int = 0) -> Any:
        """Return a button or link by its name, or the beginning of its label."""
        return self.find(
            " | ".join(CLICKED.format(one.format(_quoted(name))) for one in NAMED), number
        )

    def field(self, label: str, number: int = 0) -> Any:
        """Return a field by its label."""
        quoted = _quoted(label)
        path = f"//*[@id = //label[normalize-space()={quoted}]/@for or @aria-label={quoted}]"
        return self.find(f"{path}[self::input or self::textarea or self::select]", number)

    def click(self, name: str, number: int = 0, *, sees: str = "") -> None:
        """Click a button or link, and wait until a text is shown."""
        button = self.button(name, number)
        # Not below a bar that stays in view.
        self.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", button)
        button.click()
        if sees:
            self.sees(sees)

    def type(self, label: str, text: str, number: int = 0) -> None:
        """Write a text into a field instead of what is there."""
        field = self.field(label, number)
        before = field.get_attribute("value")
        field.clear()
        field.send_keys(text)
        if before and field.get_attribute("value") == before + text:
            # What arrived between the two has drawn the old text again.
            field.clear()
            field.send_keys(text)

    def value(self, label: str, number: int = 0) -> str:
        return str(self.field(label, number).get_attribute("value"))

    def press(self, *keys: str) -> None:
        """Press keys where the focus is, all at once: `press(Keys.ALT, Keys.ARROW_UP)`."""
        from selenium.webdriver.common.action_chains import ActionChains

        actions = ActionChains(self.driver)
        for key in keys:
            actions.key_down(key)
        for key in reversed(keys):
            actions.key_up(key)
        actions.perform()

    @property
    def text(self) -> str:
        return str(self.driver.execute_script("return document.body.innerText"))

    @property
    def focused(self) -> str:
        """The name of what has the focus."""
        return str(self.driver.switch_to.active_element.accessible_name)

    def focuses(self, name: str) -> None:
        """Wait until the focus is on what has this name."""
        until(
            lambda: self.focused == name,
            lambda: f"{name} has no focus, {self.focused} has.",
            PATIENCE,
        )

    def sees(self, *texts: str) -> None:
        """Wait until texts are shown."""
        for text in texts:
            until(
                lambda text=text: text in self.text,
                lambda text=text: f"{text} is not shown: {self.text}",
                PATIENCE,
            )

    def misses(self, text: str) -> None:
        """Wait until a text is not shown."""
        until(lambda: text not in self.text, f"{text} is shown.", PATIENCE)

    def until(self, condition: Callable[[], Any], what: str = "It does not happen.") -> None:
        until(condition, what, PATIENCE)

    def width(
        self, pixels: int, *, height: int = 900, dark: bool = False, zoom: int = 1, media: str = ""
    ) -> None:
        """Let the screen have a width and a zoom, and prefer light or dark colors."""
        size = {"width": pixels // zoom, "height": height // zoom, "deviceScaleFactor": zoom}
        size["mobile"] = pixels < 500
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        emulated = {"media": media, "features": [scheme]}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", emulated)

    def overflows(self) -> bool:
        """Return whether one has to scroll sideways."""
        script = (
            "const page = document.scrollingElement; return page.scrollWidth > page.clientWidth"
        )
        return bool(self.driver.execute_script(script))

    def axe(self) -> list[tuple[str, str]]:
        """Return what a checker of accessibility finds: rules, and the HTML that breaks them."""
        # The policy allows no script of others; the driver's own are not asked.
        self.driver.execute_script(AXE.read_text())
        script = (
            "const done = arguments[1]; axe.run({runOnly: arguments[0]}).then((all) => "
            "done([all.passes.length, all.violations.map((one) => [one.id, one.nodes[0].html])]));"
        )
        passes, violations = self.driver.execute_async_script(script, RULES)
        assert passes > 10
        return [tuple(one) for one in violations]

    def errors(self) -> list[str]:
        """Return the errors of scripts, and what the policy refused, since this was asked last.

        Statuses of the service that are errors are no such thing.
        """
        told = [
            one["message"] for one in self.driver.get_log("browser") if one["level"] == "SEVERE"
        ]
        return [one for one in told if "Failed to load resource" not in one]


class Console(Page):
    """The console in a browser."""

    def open(self, address: str, *texts: str) -> None:
        """Open an address, such as `#/feeds`, as if for the first time; wait for its texts."""
        self.driver.get("about:blank")
        self.driver.get(f"{self.server.url}/console{address}")
        self.sees(*texts)

    def sign_in(self, name: str = "admin", secret: str = "secret") -> None:
        """Let the browser know credentials, as if they had been typed and were to be kept."""
        self.driver.get(f"{self.server.url}/console/console.css")
        script = (
            "sessionStorage.clear(); sessionStorage.setItem('landform:credentials:', arguments[0])"
        )
        self.driver.execute_script(script, json.dumps({"name": name, "secret": secret}))


def is_gone(error: Exception) -> bool:
    """Return whether an element is no longer there, as a document was loaded meanwhile."""
    return "Stale" in type(error).__name__ or "Node with given id" in str(error)


def _quoted(text: str) -> str:
    assert '"' not in text
    return f'"{text}"'


def make_key(server: Server, *scopes: str, name: str = "") -> str:
    """Create a key with these scopes, and return its secret."""
    options = [part for scope in scopes for part in ("--scope", scope)]
    return keys(server, "create", name or f"key-{secrets.token_hex(4)}", *options).split()[-1]


def keys(server: Server, *command: str) -> str:
    """Run `landform key`, and return what it prints."""
    program = [sys.executable, "-m", "landform.standalone", "key", *command]
    done = subprocess.run(
        [*program, "--database", server.database], capture_output=True, check=True
    )
    return done.stdout.decode()


def validate(folder: Path, **documents: bytes) -> None:
    """Let a validator find nothing in HTML documents."""
    (folder / "package.json").write_text("{}")
    # These are valid in either style; the content of a page has WordPress's.
    rules = {"doctype-style": "off", "void-style": "off", "no-inline-style": "off"}
    settings = {"root": True, "extends": ["html-validate:recommended"], "rules": rules}
    (folder / ".htmlvalidate.json").write_text(json.dumps(settings))
    for name, document in documents.items():
        (folder / f"{name}.html").write_bytes(document)
    command = [shutil.which("node"), VALIDATOR.resolve(), "--max-warnings", "0"]
    ran = subprocess.run(
        [*command, *(f"{name}.html" for name in documents)],
        cwd=folder, capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stdout + ran.stderr


@pytest.fixture(scope="session")
def console_driver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The browser of this process."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
    if not BROWSER or not DRIVER:
        pytest.skip("chromium is not installed")
    options = webdriver.ChromeOptions()
    options.binary_location = BROWSER
    for argument in [*ARGUMENTS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"]:
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER))
    driver.set_script_timeout(60)
    yield driver
    driver.quit()


@pytest.fixture(scope="module")
def console_server(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    module_database_url: str,
) -> Iterator[Server]:
    """A server of this module, with an own database, in its `TIMEZONE`."""
    url = (
        {}
        if module_database_url.startswith("sqlite:")
        else {"LANDFORM_DATABASE_URL": module_database_url}
    )
    zone = getattr(request.module, "TIMEZONE", "UTC")
    settings = {"LANDFORM_WORKERS": "1", "LANDFORM_WEBHOOK_PRIVATE": "1", **url}
    settings["LANDFORM_TIMEZONE"] = zone
    server = Server(tmp_path_factory.mktemp("console"), (), **settings).start()
    yield server
    # The browser would keep it waiting.
    server.stop(signal.SIGKILL)


@pytest.fixture
def console(console_driver: Any, console_server: Server) -> Iterator[Console]:
    """The console of `console_server`, with every right, and without an error in the end."""
    opened = Console(console_driver, console_server)
    opened.width(1280)
    clean = {"origin": console_server.url, "storageTypes": "all"}
    console_driver.execute_cdp_cmd("Storage.clearDataForOrigin", clean)
    opened.sign_in()
    opened.errors()
    yield opened
    console_driver.get("about:blank")
    assert opened.errors() == []
