"""Loading as the schemas say it, without asking each of them again what it says.

A compiled loader has read the schema once: its hooks, and of each field what it takes as it is.
Whatever is not that plain goes through the field's own code. Where anything is wrong, or a schema
does what is not known here, Marshmallow loads it all: every error is its own.
"""

from collections.abc import Callable, Mapping
from typing import Any

from marshmallow import EXCLUDE, RAISE, Schema, ValidationError, fields, missing
from marshmallow.decorators import POST_LOAD, PRE_LOAD, VALIDATES, VALIDATES_SCHEMA

from landform.schemas.export import StoredDateTime, is_stored_date_time
from landform.schemas.feeds import Settings
from landform.schemas.fields import (
    CONTROL,
    WHITE_SPACE,
    Flag,
    IdText,
    Integer,
    JsonObject,
    Number,
    RawText,
    SlugText,
    Text,
    TitleText,
)

Loader = Callable[[Any], JsonObject]
# Whether a field returns a value as it is.
Test = Callable[[Any], bool]
# Takes the value of a field, and what it is a part of.
FieldLoader = Callable[[Any, Mapping[str, Any]], Any]


class _Unknown(Exception):
    """A schema does what no compiled loader does."""


def compile_loader(schema: Schema) -> Loader:
    """Return what loads as `schema.load` does, with the same values and the same errors."""
    try:
        quick = _compile(schema, schema.partial)
    except _Unknown:
        return schema.load

    def load(data: Any) -> JsonObject:
        try:
            return quick(data)
        except ValidationError:
            # It may be one of several errors.
            loaded: JsonObject = schema.load(data)
            return loaded

    return load


def _compile(schema: Schema, partial: object) -> Loader:
    """Return what loads what is right, and raises a `ValidationError` for all else."""
    _check_known(schema, partial)
    said = {"many": False, "partial": partial, "unknown": schema.unknown}
    before, after = _methods(schema, PRE_LOAD), _methods(schema, VALIDATES_SCHEMA)
    loaded = [
        (name, _field_loader(name, field, partial), *_absent(field, partial))
        for name, field in schema.load_fields.items()
    ]
    known = schema.load_fields.keys() if schema.unknown == RAISE else None

    def load(data: Any) -> JsonObject:
        for prepare in before:
            data = prepare(data, **said)
        if type(data) is not dict or (known is not None and not data.keys() <= known):
            raise ValidationError("")
        values: JsonObject = {}
        for name, load_field, required, default in loaded:
            if name in data:
                value = load_field(data[name], data)
            elif required:
                raise ValidationError("")
            elif default is missing:
                continue
            else:
                value = default() if callable(default) else default
            if value is not missing:
                values[name] = value
        for check in after:
            check(values, **said)
        return values

    return load


def _check_known(schema: Schema, partial: object) -> None:
    hooks = schema._hooks
    if schema.many or partial not in (None, False, True) or hooks[VALIDATES] or hooks[POST_LOAD]:
        raise _Unknown
    if schema.unknown not in (EXCLUDE, RAISE) or schema.dict_class is not dict:
        raise _Unknown


def _methods(schema: Schema, tag: str) -> list[Callable[..., Any]]:
    found = []
    for name, takes_many, options in schema._hooks[tag]:
        if takes_many or options.get("pass_original"):
            raise _Unknown
        found.append(getattr(schema, name))
    return found


def _absent(field: fields.Field[Any], partial: object) -> tuple[bool, object]:
    """Return whether a field has to be there, and what it is where it is not."""
    if field.attribute is not None or field.data_key is not None:
        raise _Unknown
    return (False, missing) if partial else (field.required, field.load_default)


def _field_loader(name: str, field: fields.Field[Any], partial: object) -> FieldLoader:
    told = {} if partial is None else {"partial": partial}

    def load(value: Any, data: Mapping[str, Any]) -> Any:
        return field.deserialize(value, name, data, **told)

    is_overridden = type(field).deserialize is not fields.Field.deserialize
    if field.pre_load or field.post_load or (is_overridden and type(field) is not Settings):
        return load
    if type(field) is fields.Nested:
        return _nested_loader(field, partial, load)
    is_plain = PLAIN[type(field)](field) if type(field) in PLAIN else None
    deserialize, validators = field._deserialize, field.validators

    def load_plain(value: Any, data: Mapping[str, Any]) -> Any:
        if is_plain is None or not is_plain(value):
            if value is None or is_overridden:
                return load(value, data)
            value = deserialize(value, name, data, **told)
        for validate in validators:
            validate(value)
        return value

    return load_plain


def _nested_loader(field: fields.Nested, partial: object, load: FieldLoader) -> FieldLoader:
    schema = field.schema
    if field.many or field.unknown or field.validators:
        return load
    quick = _compile(schema, schema.partial if partial is None else partial)
    return lambda value, data: load(value, data) if value is None else quick(value)


def _text(field: Text) -> Test:
    least = 0 if field.blank else 1
    return lambda value: type(value) is str and len(value) >= least and "\0" not in value


def _slug_text(field: SlugText) -> Test:
    is_text = _text(field)
    return lambda value: is_text(value) and not CONTROL.search(value)


def _title_text(field: TitleText) -> Test:
    is_text = _text(field)
    return lambda value: is_text(value) and value.strip(WHITE_SPACE) == value


def _stored_date_time(field: StoredDateTime) -> Test:
    return lambda value: type(value) is str and is_stored_date_time(value)


def _integer(field: Integer) -> Test:
    least, most = field.minimum, field.maximum
    return lambda value: type(value) is int and least <= value <= most


def _flag(field: Flag) -> Test:
    return lambda value: type(value) is bool


def _settings(field: Settings) -> Test:
    return lambda value: type(value) is dict and bool(value)


def _list(field: fields.List[Any]) -> Test:
    """Return whether it is a list, where a list takes just any items."""
    inner = field.inner
    anything = type(inner) is fields.Raw and inner.allow_none
    anything = anything and not (inner.validators or inner.pre_load or inner.post_load)
    return lambda value: anything and type(value) is list


# Of these types exactly: what one of their subclasses takes as it is may be something else.
PLAIN: dict[type, Callable[[Any], Test]] = {
    Text: _text,
    IdText: _text,
    RawText: _text,
    SlugText: _slug_text,
    TitleText: _title_text,
    StoredDateTime: _stored_date_time,
    Integer: _integer,
    Number: _integer,
    Flag: _flag,
    Settings: _settings,
    fields.List: _list,
}
