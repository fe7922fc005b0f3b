"""What was sent for a form: values, messages, confirmations, spam. No Flask, no SQL."""
