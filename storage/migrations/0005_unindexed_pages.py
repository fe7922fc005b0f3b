"""Nothing: what this did until 0010 undid it is not done any more."""


def up(migrator: object, db: object) -> None:
    """Leave everything as it is."""
