"""The errors of runs."""

from landform.storage.errors import PartError


class RunNotFound(PartError):
    """There is no such run of this feed."""

    code, status = "rest_run_invalid_id", 404


class RunNotDue(PartError):
    """The run is done, claimed by somebody, or waits after a failure."""

    code, status = "rest_run_not_due", 409


class RunNotClaimed(PartError):
    """Nobody has claimed the run, or somebody else has since."""

    code, status = "rest_run_not_claimed", 409


class RunNotFinished(PartError):
    """The run is claimed now."""

    code, status = "rest_run_not_finished", 409
