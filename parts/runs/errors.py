"""The errors of runs."""

from landform.parts.errors import part_error

RunNotFound = part_error("rest_run_invalid_id", 404, "There is no such run of this feed.")
RunNotDue = part_error(
    "rest_run_not_due", 409, "The run is done, claimed by somebody, or waits after a failure."
)
RunNotClaimed = part_error(
    "rest_run_not_claimed", 409, "Nobody has claimed the run, or somebody else has since."
)
RunNotFinished = part_error("rest_run_not_finished", 409, "The run is claimed now.")
