"""What a plan costs beside the list of the form's feeds, in one run: `python bench/plan.py`.

Both go through the whole application, without a server and without cached responses, in turns.
What is measured is processor time, so that other programs matter less.
Half of the feeds have a condition of three rules.
"""

import json
import tempfile

from turns import in_turns

from landform.app import create_app

CREDENTIAL = "bench:secret"
FEEDS = (1, 10, 100)
RULES = [{"fieldId": str(n), "operator": "is", "value": "Yes"} for n in range(1, 4)]
LOGIC = {"conditionalLogic": {"actionType": "show", "logicType": "all", "rules": RULES}}
CONDITION = {
    "feed_condition_conditional_logic": "1",
    "feed_condition_conditional_logic_object": LOGIC,
}
ENTRY = {"1": "yes", "2": "Yes", "3": "No", **{str(n): "some text" for n in range(4, 30)}}
# What a client writes once is no part of what is measured.
JSON = {"Content-Type": "application/json"}
PLAIN = json.dumps({"entry": ENTRY})
WITH_RUNS = json.dumps({"entry": ENTRY, "entry_id": "17", "explain": True})


def main() -> None:
    """Print the milliseconds of each, and their ratio, for forms with few and many feeds."""
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/bench.db"
        settings = {"DATABASE_URL": url, "CREDENTIALS": CREDENTIAL, "CACHE_BYTES": "0"}
        client = create_app(settings).test_client()
        client.environ_base["HTTP_AUTHORIZATION"] = "Bearer secret"
        for form, feeds in enumerate(FEEDS, 1):
            for number in range(feeds):
                meta = {"feedName": f"Feed {number}", "list": "abc", "note": "some words " * 10}
                body = {"addon_slug": "crm", "meta": meta | (CONDITION if number % 2 else {})}
                client.post(f"/forms/{form}/feeds", json=body)
            path = f"/forms/{form}/feeds"
            calls = {
                "list": lambda path=path: client.get(path),
                "plan": lambda path=path: client.post(f"{path}/plan", data=PLAIN, headers=JSON),
                "plan with runs": lambda path=path: client.post(
                    f"{path}/plan", data=WITH_RUNS, headers=JSON
                ),
            }
            print(f"{feeds} feeds: {in_turns(calls)}")


if __name__ == "__main__":
    main()
