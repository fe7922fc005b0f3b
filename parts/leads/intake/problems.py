"""What a form asks for that is not carried out: then it is neither shown nor submitted."""

from landform.parts.leads.intake.fields import OFF, SUPPORTED_TYPES
from landform.parts.leads.intake.form_html import clean_form
from landform.parts.leads.intake.logic import logic_of
from landform.parts.leads.opening import limit_of, schedule_of
from landform.service.pipeline.json_codec import JsonObject


def problems_of(form: JsonObject) -> list[str]:
    """Return why a form cannot be shown and submitted; empty if it can."""
    problems = [
        f"field {field['id']} has the type {str(field['type'])[:40]!r}"
        for field in form["fields"]
        if field["type"] not in SUPPORTED_TYPES
    ]
    if form.get("requireLogin") not in OFF:
        problems.append("it requires a login")
    for read in (logic_of, limit_of, schedule_of):
        try:
            read(form)
        except ValueError as error:
            problems.append(str(error))
    if refused := clean_form(form).problem:
        problems.append(f"its {refused.rstrip('.')}")
    return problems
