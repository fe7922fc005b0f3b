"""What becomes of an entry: the runs that its form's feeds plan."""

from landform.storage.rows import Row
from landform.storage.store import Store


def after_submission(store: Store, form: Row, entry: Row) -> None:
    """Plan the feeds of an active entry, in the transaction that stores it.

    `form` is that of `storage.get_form`, `entry` that of `storage.get_entry`.
    """
