"""Page texts as readers get them: block markup to HTML, cleaned for untrusted authors."""
