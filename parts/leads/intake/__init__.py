"""Submissions of forms: values, messages, confirmations, spam. No Flask, no SQL."""
