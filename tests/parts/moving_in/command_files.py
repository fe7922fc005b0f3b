"""The command lines for each parameter of `import-wordpress` that may name a file."""

SITE = "http://127.0.0.1:9/ --user me"
LINES = {
    "import-wordpress source": "import-wordpress {}",
    "import-wordpress password_file": f"import-wordpress {SITE} --password-file {{}}",
    "import-wordpress report_file": "import-wordpress old.xml --report {}",
    "import-wordpress redirects": "import-wordpress old.xml --redirects {}",
    "import-wordpress forms_file": "import-wordpress old.xml --forms {}",
}
PAIRS = [
    f"import-wordpress {SITE} --password-file {{}} --redirects {{}}",
    "import-wordpress old.xml --forms {} --report {}",
    "import-wordpress {} --redirects {}",
    "import-wordpress old.xml --report {} --redirects {}",
]
