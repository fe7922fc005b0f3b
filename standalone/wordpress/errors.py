"""What keeps an import from going on, and what keeps one response from being used."""


class CannotBegin(Exception):
    """Nothing can be imported; the text says why, and what to do."""


class Stopped(Exception):
    """Not all was imported; the text says why. The same import goes on where this one ended."""


class NoAnswer(Exception):
    """A request has no usable response. The text says what came, and from where.

    `status` is that of the response, 0 where there was none; `code` that of WordPress's error;
    `params` names the parameters that it refuses.
    """

    def __init__(
        self, text: str, status: int = 0, code: str = "", params: tuple[str, ...] = ()
    ) -> None:
        super().__init__(text)
        self.status, self.code, self.params = status, code, params
