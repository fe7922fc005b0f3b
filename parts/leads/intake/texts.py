"""The texts that landform and Gravity Forms write into forms, for visitors."""

from landform.service.site.catalogs import Message

THANKS = Message("Thanks for contacting us! We will get in touch with you shortly.")
TEXTS: dict[str, str] = {
    message: message
    for message in (
        THANKS,
        Message("Submit"),
        *(Message("Prefix"), Message("First"), Message("Middle"), Message("Last")),
        *(Message("Suffix"), Message("Enter Email"), Message("Confirm Email")),
        *(Message("Street Address"), Message("Address Line 2"), Message("City")),
        *(Message("State / Province / Region"), Message("State / Province"), Message("State")),
        *(Message("Province"), Message("ZIP / Postal Code"), Message("ZIP Code")),
        *(Message("Postal Code"), Message("Country")),
        *(Message("HH"), Message("MM"), Message("AM/PM"), Message("Hour"), Message("Minute")),
        *(Message("am"), Message("pm")),
    )
}


def translatable(text: str) -> str:
    """Return a text of a form; as a `Message` if it is not of its author."""
    return TEXTS.get(text, text)
