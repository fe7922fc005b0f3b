"""The errors of what clients of WordPress and Gravity Forms ask for."""

from landform.parts.errors import part_error

UserNotFound = part_error("rest_user_invalid_id", 404, "No page has this author.")
NotLoggedIn = part_error("rest_not_logged_in", 401, "Credentials are missing or wrong.")
NoFeedOfForm = part_error("gf_not_found", 404, "No feed has this form.")
