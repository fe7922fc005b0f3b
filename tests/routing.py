"""URL rules that tests share: Werkzeug compiles each of them anew for every application."""

from collections.abc import Callable
from typing import Any

from werkzeug.routing import Rule


def share_compiled_rules() -> None:
    """Compile the functions that build the URLs of a rule once in this process.

    It takes most of the time of making an application, and the tests make thousands.
    """
    compiled: dict[tuple[str, bool], Callable[..., tuple[str, str]]] = {}
    compile_builder = Rule._compile_builder

    def compile_once(rule: Any, append_unknown: bool = True) -> Callable[..., tuple[str, str]]:
        if rule.defaults or rule.subdomain or rule.host:
            return compile_builder(rule, append_unknown)
        key = rule.rule, append_unknown
        if key not in compiled:
            compiled[key] = compile_builder(rule, append_unknown)
        return compiled[key]

    Rule._compile_builder = compile_once  # type: ignore[method-assign]
