"""URL rules that tests share: Werkzeug compiles each of them anew for every application."""

from typing import Any

from werkzeug.routing import Map, Rule


def share_compiled_rules() -> None:
    """Parse and compile each URL rule once in this process.

    It takes most of the time of making an application, and the tests make thousands.
    """
    compiled: dict[tuple[str, bool], tuple[Any, ...]] = {}
    compile_rule = Rule.compile

    def compile_once(rule: Any) -> None:
        is_plain = not (rule.defaults or rule.subdomain or rule.host or rule.map.host_matching)
        if not is_plain or rule.map.converters != Map.default_converters:
            compile_rule(rule)
            return
        key = rule.rule, rule.merge_slashes
        if key not in compiled:
            compile_rule(rule)
            builders = rule._build.__func__, rule._build_unknown.__func__
            parsed = rule._parts, rule._trace, rule._converters, rule.arguments
            compiled[key] = *parsed, *builders
        rule._parts, rule._trace, rule._converters, arguments, build, unknown = compiled[key]
        rule.arguments = {*arguments}
        rule._build, rule._build_unknown = build.__get__(rule), unknown.__get__(rule)

    Rule.compile = compile_once  # type: ignore[method-assign]
