"""The mutants: where the code is broken, how, and which tests have to notice."""

from typing import NamedTuple


class Mutant(NamedTuple):
    """One change of a file; `why` nothing can notice it, where that is so."""

    file: str
    old: str
    new: str
    tests: str
    why: str = ""


def of(file: str, tests: str, *changes: tuple[str, ...]) -> list[Mutant]:
    """Return the mutants of a file that the same tests have to notice: old and new text, why."""
    return [Mutant(file, old, new, tests, *why) for old, new, *why in changes]


SYNCS = "tests/faults/test_syncs.py"
MOVED = "tests/faults/test_moved_files.py"
PLACES = "tests/faults/test_places.py"
LINE_VERSION = "            # A version in a line may have been that of another state here.\n"
STORAGE = "tests/storage/test_storage.py tests/storage/test_writer.py"
BACKUP = "tests/storage/test_backup.py"
VERIFY = "tests/storage/test_verify.py"
# Without that which drops each part of the schema, which takes the longest.
VERIFY_SOON = f"{VERIFY} --deselect={VERIFY}::test_every_part_of_the_schema"
COPYING = "tests/storage/test_copying.py"
OPENING = "tests/storage/test_opening.py"
TRANSFER = "tests/storage/test_transfer.py"
IMPORTING = "tests/storage/test_bulk_import.py"
UPGRADE = "tests/storage/test_upgrade.py"
SEARCH_INDEX = "tests/storage/test_search_index.py"
CACHE = (
    "tests/api/test_cache.py::test_a_fork_learns_of_commits_by_a_connection_of_its_own "
    "tests/api/test_cache.py::test_an_answer_made_before_a_write_is_not_kept_after_it "
    "tests/api/test_cache.py::test_no_reader_of_any_worker_sees_what_is_older_than_an_acknowledged_write"
)
KEPT = "tests/api/test_cache.py"
IGNORED = "tests/api/test_ignored.py"
RESPONSES = "tests/api/test_json_responses.py"
BUDGET = "tests/api/test_search_budget.py tests/storage/test_query_budget.py"
DUE = "tests/api/test_scheduling.py"
GUESSES = "tests/api/test_throttling.py"
LOCKS = "tests/faults/test_locks.py"
LOG = "tests/storage/test_file_and_log.py"
MEMORY = "tests/storage/test_memory.py"
PYTHON = "tests/python/test_python_api.py"

FILES = [
    *of(
        "storage/engines/sqlite/connection.py",
        f"{LOG} {MOVED} {PLACES}",
        ("found if place.is_writable() else None", "found"),
        ("            self._check_identity()\n", ""),
        ("if row != (self._place.identity,):", "if False:"),
        ('self.execute("PRAGMA wal_checkpoint(TRUNCATE)")', "pass"),
        ("        self._place.leave(self)\n", "        pass\n"),
    ),
    *of(
        "storage/engines/sqlite/watcher.py",
        f"{LOG} {MOVED} {PLACES}",
        (
            "if connection.file is None:",
            "if False:",
            "`close_replaced` closes it too, before the next connection is opened",
        ),
        ("            self._close_idle()\n", "            pass\n"),
        ("and not self._place.is_current(connection)", "and False"),
    ),
    *of(
        "storage/engines/sqlite/pool.py",
        f"{LOG} {MOVED} {PLACES}",
        ("if self._place.is_current(connection):", "if True:"),
        ("        connection.retire()\n        self._close_raw", "        self._close_raw"),
        ("        self.watch.close_replaced()\n", ""),
        (
            "if connection.file != self._place.file() or not connection.file:",
            "if not connection.file:",
        ),
        ("self._place.outdated = time.monotonic()", "pass"),
        ('"journal_size_limit": LOG_BYTES', '"journal_size_limit": -1'),
        (
            '            self.execute_sql(f"PRAGMA user_version = {new_stamp()}")',
            "            pass",
        ),
    ),
    *of(
        "storage/engines/sqlite/pool.py",
        f"{SYNCS}",
        ('"synchronous": synchronous', '"synchronous": "OFF"'),
        ('"synchronous": synchronous', '"synchronous": "NORMAL"'),
    ),
    *of(
        "storage/engines/sqlite/pool.py",
        f"{STORAGE} {OPENING} {LOCKS}",
        ('"foreign_keys": 1', '"foreign_keys": 0'),
        ('connection.execute("PRAGMA journal_mode = wal")', "pass"),
        ('if mode != "wal" and not sqlite_schema.is_foreign(connection):', 'if mode != "wal":'),
        ('"BEGIN IMMEDIATE"', '"BEGIN"'),
        (
            "        connection.writes = False\n        self._wait_for_locks(self._milliseconds)\n",
            "        connection.writes = False\n",
        ),
        (
            "                    self._wait_for_locks(self._milliseconds)",
            "                    pass",
        ),
        ("self._wait_for_locks(0)", "self._wait_for_locks(10_000)"),
        ("            self._end_write(connection)\n            raise", "            raise"),
        ("            self._end_write(connection)\n            self._re", "            self._re"),
        (
            "        finally:\n            if connection.writes:\n"
            "                self._end_write(connection)",
            "        finally:\n            pass",
        ),
        ("if not is_busy(error) or time.monotonic() >= give_up:", "if True:"),
        ("or time.monotonic() >= give_up", ""),
        (
            "self._milliseconds = busy_timeout, int(busy_timeout * 1000)",
            "self._milliseconds = 10, 9",
        ),
    ),
    *of(
        "storage/engines/sqlite/watcher.py",
        f"{LOG} {CACHE} {MOVED}",
        ("return self._opened, int(row[0])", "return 0, 0"),
        ("return self._opened, int(row[0])", "return 0, int(row[0])"),
        (
            "        self._process = os.getpid()\n        self._opened += 1",
            "        self._process = os.getpid()",
        ),
        (
            "if self._connection is not None and self._process == os.getpid():\n            self._ret",
            "if self._connection is not None:\n            self._ret",
        ),
        (
            "self._inherited = self._connection",
            "self._inherited = None",
            "the locks of the parent keep what the child closes from doing harm, as it seems",
        ),
    ),
    *of(
        "storage/engines/sqlite/pool.py",
        f"{BUDGET}",
        ("            traceback.clear_frames(error.__traceback__)\n", ""),
        ("        if budget.refusal is not None:\n            raise budget.refusal\n", ""),
        ("connection.set_progress_handler(None, 0)", "pass"),
        ("connection.set_progress_handler(budget.is_spent, STEPS)", "pass"),
    ),
    *of(
        "storage/engines/sqlite/pool.py",
        f"{COPYING} {VERIFY}",
        ("if given > before[table]:", "if False:"),
        ("if given > before[table]:", "if True:"),
        ("connection.text_factory = str", "pass"),
        ('raw.decode(errors="surrogateescape")', "raw.decode()"),
        ('return self.atomic("DEFERRED")', 'return self.atomic("IMMEDIATE")'),
    ),
    *of(
        "storage/engines/sqlite/schema.py",
        VERIFY,
        ("    if part == INDEX:\n", "    if False:\n"),
        ('    elif part.kind == "trigger":\n', "    elif False:\n"),
    ),
    *of(
        "storage/engines/sqlite/search_index.py",
        SEARCH_INDEX,
        ("ORDER BY id, command DESC", "ORDER BY id, command"),
        ("SET characters = characters + excluded.characters", "SET characters = characters"),
        ("{OLD} + {NEW}, old.title", "{OLD}, old.title"),
        (" WHEN (old.title, old.content) IS NOT (new.title, new.content)", ""),
        ("WHERE id NOT IN (SELECT id FROM page_unindexed)", ""),
        ('for event in ("INSERT", "UPDATE")', 'for event in ("INSERT",)'),
        ("\"content='page_indexed'\"", "\"content='page_text'\""),
    ),
    *of(
        "storage/engines/sqlite/dialect.py",
        SEARCH_INDEX,
        ("found.where(match, is_current)", "found.where(match)"),
        (".union_all(changed)", ""),
        (".where(PageText.id == CHANGED.c.id, holds)", ".where(PageText.id == CHANGED.c.id)"),
    ),
    *of(
        "storage/engines/sqlite/engine.py",
        f"{SEARCH_INDEX} tests/standalone/test_observing.py {STORAGE} {LOG} {VERIFY_SOON} {BACKUP} "
        f"{MOVED} {PLACES}",
        ("        self.database.watch.version()\n", "        pass\n"),
        ("if not self.place.is_there():", "if False:"),
        ('if "full" in text:', "if False:"),
        ("if any(sign in text for sign in BROKEN):", "if False:"),
        ("while ROLLED_BACK.search(str(error)) and error.__context__:", "while False:"),
        ('if found != "ok":', "if False:"),
        ('db.execute_sql("PRAGMA foreign_key_check").fetchall()', "()"),
        ("            db.execute_sql(check)\n", "            pass\n"),
        ("        search_index.rebuild(db)\n", "        pass\n"),
        ("            search_index.fold(db)\n", "            pass\n"),
        ('        db.execute_sql("VACUUM")\n', ""),
        ('        db.execute_sql("PRAGMA wal_checkpoint(TRUNCATE)")\n', ""),
        ("        self.database.watch.close()\n", ""),
    ),
]

CALLS = [
    *of(
        "service/python/caller.py",
        PYTHON,
        ("flask.request.remote_addr if has_request_context() else None", "None"),
        ("None if self.service.options.public_url else self._locate()", "None"),
        (
            "            if value is not None:\n                headers |=",
            "            if False:\n                headers |=",
        ),
        ("            raise TypeError(what)", "            pass"),
        ('known.add_note(f"{parameter}: {text}")', "pass"),
    ),
    *of(
        "service/python/values.py",
        PYTHON,
        ("sorted(values))", "values)"),
        ("allow_nan=False, ", ""),
        ("        text.encode()\n    except (TypeError", "    except (TypeError"),
        ('        document.etag = headers.get("ETag")\n', ""),
        ("    if value is None:\n        return\n", ""),
    ),
    *of(
        "service/python/api.py",
        PYTHON,
        ("replace(self._caller.service, authorizer=authorizer)", "self._caller.service"),
        ("with store.connection(), store.transaction():", "with store.connection():"),
        ("        self._caller.service.store.close()\n", "        pass\n"),
        ('{**paging, "page": page}', "paging"),
        ('"orderby": "include"}', '"orderby": "id"}'),
        ('"context", "status", "_fields"', '"context", "_fields"'),
    ),
    *of(
        "service/http/routing.py",
        PYTHON,
        (" or request.store.in_transaction)", ")"),
    ),
    *of(
        "service/blueprint.py",
        PYTHON,
        ("            if one is self:\n", "            if True:\n"),
        ("return url.removesuffix(ANCHOR)", "return url"),
    ),
]

PLACE = [
    *of(
        "storage/engines/sqlite/place.py",
        f"{LOG} {BACKUP} {MOVED} {PLACES} tests/standalone/test_observing.py",
        ('?mode=rw"', '?mode=rwc"'),
        ("room.f_bavail * room.f_frsize < ROOM_BYTES", "False"),
        ("if not (self.is_writable() and os.access(folder, os.W_OK)):", "if False:"),
        ("if file is None:\n", "if False:\n"),
        ("if any(other.file not in (None, file) for other in self._opened):", "if False:"),
        (
            "if problem := log_problem(self.path, file, replaced=self._file is not None):",
            'if problem := "":',
        ),
        ("replaced=self._file is not None", "replaced=False"),
        ("replaced=self._file is not None", "replaced=True"),
        ("            self._opened.add(connection)\n", ""),
        ("return found is None or (", "return ("),
        ("found == connection.file and connection.opened", "connection.opened"),
        (" and connection.opened >= self.outdated", ""),
        ("            self._opened.discard(connection)\n", "            pass\n"),
        ("            self._opened, self._process = WeakSet(), os.getpid()", "            pass"),
        ("if log and file_id(path) is None:", "if False:"),
        ("if log and file_id(path) is None:", "if log:"),
        ("    if file_id(path) is None:\n", "    if True:\n"),
        (
            '        database.execute("PRAGMA journal_mode = MEMORY")\n',
            "",
            "then a journal lies beside the file for a moment",
        ),
        ("secrets.randbelow(2**31 - 1) + 1", "1"),
    ),
    *of(
        "storage/engines/sqlite/memory.py",
        MEMORY,
        ("secrets.token_hex(16)", "0"),
        ("            self._anchor.execute(NEW_IDENTITY)\n", ""),
        (
            "self._anchor is not None and self._owner == os.getpid()\n        return",
            "True\n        return",
        ),
        ("        self.watch.add()\n", ""),
        ("            self._anchor.close()\n        self._anchor = None", "            pass"),
        ("            MemoryPlace._empty = ", "            self._empty = "),
        (
            '''stops waiting."""''',
            '''stops waiting."""\n        super()._wait_for_locks(milliseconds)''',
        ),
    ),
    *of(
        "storage/engines/sqlite/log.py",
        f"{LOG} {BACKUP} {MOVED}",
        ("if found.st_size else None", "if True else None"),
        ("    real = os.path.realpath(path)\n    logs", "    real = path\n    logs"),
        ("    if file in locked:\n        return None\n", ""),
        ('    if file_id(os.path.realpath(path) + "-shm") in locked:', "    if False:"),
        (
            "    log, locked = log_beside(path), _locked_files()\n",
            "    log, locked = log_beside(path), _locked_files()\n    if not log:\n        return None\n",
        ),
        (
            "FOREIGN if replaced or _is_foreign(path, log) else None",
            "FOREIGN if replaced else None",
        ),
        ("FOREIGN if replaced or _is_foreign", "FOREIGN if _is_foreign"),
        ("    return bool((_locked", "    return False and bool((_locked"),
        (', file_id(f"{real}-shm")}', "}"),
        ('    if not log.endswith("-wal"):\n        return False\n', ""),
        ("        if len(header) < HEADER_BYTES:\n            return False\n", ""),
        ("return 65536 if size == 1 else size", "return size"),
        ("    if found is None:\n        return True\n", "    found = found or (set(), 0)\n"),
        ("    if not stamps:\n", "    if False:\n"),
        ("pages not in (0, number(header, PAGES))", "pages != number(header, PAGES)"),
        ("                pages = committed\n", ""),
        (
            "    if locked is None:\n        return FOREIGN if log and replaced else None\n",
            "    locked = locked or set()\n",
        ),
        ("return FOREIGN if log and replaced else None", "return None"),
        ("return FOREIGN if log and replaced else None", "return FOREIGN if replaced else None"),
        ("stamp != 0 and not", "not"),
        ("not stamps <= {stamp}", "False"),
        ("        if len(start) < LOG_HEADER_BYTES:\n            return found, pages\n", ""),
        ("        if number(start, LOG_PAGE_SIZE) != page_size:\n            return None\n", ""),
        ("            if frame[8:16] != start[SALTS]:\n                break\n", ""),
        ("            if committed:\n", "            if True:\n"),
        ("if page == 1:", "if page == 2:"),
    ),
]

COPIES = [
    *of(
        "storage/engines/sqlite/backup.py",
        f"{BACKUP} {LOG} {MOVED}",
        ("    if file_id(path) is None:\n", "    if False:\n"),
        ("if target.is_dir() or (target.exists() and not force):", "if target.is_dir():"),
        (
            "if target.is_dir() or (target.exists() and not force):",
            "if target.exists() and not force:",
        ),
        ("        target = target.resolve()\n", ""),
        ("    place = Path(os.path.realpath(path))", "    place = Path(path)"),
        ("    if not source.is_file():", "    if False:"),
        ("            _examine(source, unpacked)\n", ""),
        ("            check(str(unpacked))\n", ""),
        ("            _renew(unpacked)\n", ""),
        ("logs=() if is_alone else LOGS", "logs=()"),
        (
            "                kept = _set_aside(place, unpacked, logs=() if is_alone else LOGS)\n",
            "                kept = None\n",
        ),
        (
            "    if problem := file and log_problem(path, file, replaced=False):",
            '    if problem := "":',
        ),
        ('        source.execute("BEGIN")\n', ""),
        ('        source.execute("SELECT COUNT(*) FROM sqlite_master")\n', ""),
        ('        copy.execute(f"PRAGMA user_version = {new_stamp()}")\n', ""),
        ('        copy.execute("PRAGMA journal_mode = DELETE")\n', ""),
        ('    elif file_id(f"{source}-wal"):', "    elif False:"),
        (
            "if len(header) < compression.HEADER_BYTES or not header.startswith(HEADER):",
            "if False:",
        ),
        ("if opened.read(len(HEADER)) != HEADER:", "if False:"),
        ('    if found != "ok":', "    if False:"),
        ('        database.execute(f"PRAGMA user_version = {new_stamp()}")\n', ""),
        (
            '            database.execute("UPDATE store SET generation = lower(hex(randomblob(5)))")',
            "            pass",
        ),
        ("        with suppress(sqlite3.OperationalError):\n", "        if True:\n"),
        ("    if is_in_use(str(place)):", "    if False:"),
        (
            "    if file is None or log_problem(str(place), file, replaced=False):",
            "    if file is None:",
        ),
        ("    if file is None or log_problem(", "    if log_problem("),
        ('            database.execute("BEGIN EXCLUSIVE")\n', ""),
        ('            database.execute("PRAGMA locking_mode = EXCLUSIVE")\n', ""),
        (
            '            database.execute("PRAGMA journal_mode = DELETE")\n        except',
            "            pass\n        except",
        ),
        ('        os.replace(f"{place}{suffix}", f"{kept}{suffix}")', "        pass"),
        ("    os.chmod(unpacked, stat.S_IMODE(before.st_mode))\n", ""),
        ("        os.chown(unpacked, before.st_uid, before.st_gid)", "        pass"),
        ("    os.link(place, kept)\n", ""),
        ("    if not place.exists():\n", "    if False:\n"),
    ),
    *of(
        "storage/engines/sqlite/modes.py",
        "tests/storage/test_file_modes.py",
        ("            if after != before:\n", "            if False:\n"),
        (
            "for name in (real, *(real + suffix for suffix in LOGS)):",
            "for name in (real,):",
        ),
        ("if mode & stat.S_IWGRP else 0)", "if True else 0)"),
        ("os.path.realpath(path), os.O_CREAT", "path + '.x', os.O_CREAT"),
        ("        return owner | (owner & OWNER_ONLY) >> 3\n", "        return owner\n"),
    ),
    *of(
        "standalone/server/quitting.py",
        "tests/faults/test_ctrl_c.py",
        (
            "            signal.setitimer(signal.ITIMER_REAL, QUITTING_SECONDS + GRACE_SECONDS)\n",
            "",
        ),
    ),
    *of(
        "standalone/ctrl_c.py",
        "tests/faults/test_ctrl_c.py::test_ctrl_c_between_two_steps_of_the_start_ends_the_second_one",
        ("    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})\n", "    pass\n"),
        ("        signal.signal(signal.SIGINT, signal.SIG_DFL)\n", "        pass\n"),
    ),
    *of(
        "standalone/sources.py",
        "tests/standalone/test_sources.py",
        (
            "        if variable in environ:\n",
            "        if variable in environ and name not in in_file:\n",
        ),
        ("        if name not in names:\n", "        if False:\n"),
        ("& stat.S_IROTH:", "& stat.S_IRGRP:"),
    ),
    *of(
        "service/option_kinds.py",
        "tests/standalone/test_sources.py",
        ('or "," in "".join(pairs):', "or False:"),
        ("        if type(value) not in self.native:\n", "        if False:\n"),
    ),
    *of(
        "storage/engines/sqlite/compression.py",
        BACKUP,
        ("if done > min(most, expected):", "if done > most:"),
        ("if done > min(most, expected):", "if done > expected:"),
        ("if done > min(most, expected):", "if False:"),
        ("        if not expected:\n", "        if False:\n"),
        ("(zlib.error, gzip.BadGzipFile, EOFError)", "ZeroDivisionError"),
        ("(zlib.error, gzip.BadGzipFile, EOFError)", "(gzip.BadGzipFile, EOFError)"),
    ),
    *of(
        "storage/atomic_file.py",
        f"{BACKUP} {TRANSFER} {SYNCS}",
        ("    _remove_abandoned(target)\n", ""),
        ("        fcntl.flock(lock, fcntl.LOCK_EX)\n        yield", "        yield"),
        ("                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)\n", ""),
        (", 0o600)", ", 0o644)"),
        ("        _remove(name)\n        os.close(lock)", "        os.close(lock)"),
        ("    _sync(temporary)\n", ""),
        ("    _sync(target.parent)\n", ""),
        ("        os.fsync(opened)\n", "        pass\n"),
        ("glob.escape(target.name)", "target.name"),
        ('in ("", *LOGS)', 'in ("",)'),
    ),
]

WRITES = of(
    "storage/transactions.py",
    STORAGE,
    ("        with self._lock, self._transaction():", "        with self._transaction():"),
    (
        "            with self._savepoint():\n                yield",
        "            if True:\n                yield",
    ),
    (
        "            with self._savepoint():\n                return work()\n        mine",
        "            return work()\n        mine",
    ),
    ("            if not mine.done:\n", "            if True:\n"),
    ("for _ in range(len(self._waiting))]", "for _ in range(1)]"),
    ("        if mine.error is not None:\n            raise mine.error\n", ""),
    (
        "            with self._savepoint():\n                return work()\n        if not",
        "            return work()\n        if not",
    ),
    ("self._lock.acquire(timeout=TRY_SECONDS)", "self._lock.acquire()"),
    ("        finally:\n            self._lock.release()", "        finally:\n            pass"),
    ("self._transaction(wait=TRY_SECONDS)", "self._transaction()"),
    ("work.error = work.error or reason", "pass"),
    ("work.error = work.error or reason", "work.error = reason"),
    (
        "if isinstance(error, Exception) else Unavailable(INTERRUPTED)",
        'if True else Unavailable("")',
    ),
    ("            if not isinstance(error, Exception):\n                raise\n", ""),
    ("        if alone:\n", "        if True:\n"),
    ("        if alone:\n", "        if False:\n", "one alone is as whole with a savepoint more"),
    (
        "        work.error = Unavailable(INTERRUPTED)\n",
        "",
        "`_run_all` says the same of what is left",
    ),
    (
        "            with self._savepoint():\n                work.result",
        "            if True:\n                work.result",
    ),
    ("                work.done = True", "                pass"),
    ("                while self._waiting:\n", "                while False:\n"),
)
TRANSLATED = of(
    "storage/engines/base.py",
    STORAGE,
    ("        if translated is not None:\n", "        if True:\n"),
    ("        if isinstance(error, Exception):\n", "        if False:\n"),
)
SAVEPOINTS = of(
    "storage/engines/database.py",
    STORAGE,
    ('        self._database.execute_sql("ROLLBACK TO SAVEPOINT part")\n', ""),
    (
        'TO SAVEPOINT part")\n        self._database.execute_sql("RELEASE SAVEPOINT part")\n',
        'TO SAVEPOINT part")\n',
    ),
)
SLUGS = [
    *of(
        "storage/pages/slugs.py",
        "tests/api/test_properties.py",
        ("max(LAST_TRIED, _number(slug, newest()))", "LAST_TRIED"),
        (" and _with_number(slug, int(digits)) == newest", ""),
    ),
    *of(
        "storage/pages/meta_keys.py",
        "tests/storage/test_page_keys.py",
        ('if number[1] == "-" and number[2] != "0" else ""', 'if number[1] == "-" else ""'),
        ("_bounded(_text(value).translate(LOWER))", "_bounded(_text(value))"),
        ("if not text or PLAIN.fullmatch(text):", "if True:"),
    ),
    *of(
        "storage/pages/totals.py",
        "tests/storage/test_page_keys.py",
        ("        if languages == TOO_LONG:\n            return None\n", ""),
    ),
    *of(
        "storage/pages/filters.py",
        "tests/storage/test_page_keys.py",
        ("        found.append(Page.id == PageLanguage.page_id)\n", "        pass\n"),
    ),
    *of(
        "service/page_passwords.py",
        "tests/api/test_page_filters.py",
        (' and query.get("slug")', ""),
        ("        if protected and not opened:\n", "        if False:\n"),
        ("request.is_secret or self.is_sent", "request.is_secret"),
        (
            '        del query["password"]\n',
            "",
            "where a password is sent, no entity tag is made of the query at all",
        ),
    ),
    *of(
        "storage/pages/naming.py",
        f"{STORAGE} tests/api/test_pages.py",
        ("None if reserved else", "None if False else"),
        ('if other != page.get("id")', ""),
    ),
    *of(
        "storage/pages/__init__.py",
        f"{DUE} tests/storage/test_plans.py",
        ("        page = scheduling.as_shown(page, now.utc)\n", ""),
        ("if value != page[name])", ")"),
        ('if any(page[name] != old[name] for name in ("title_key", "content_raw")):', "if True:"),
    ),
    *of(
        "storage/feeds.py",
        "tests/storage/test_plans.py",
        ("if value != feed[name])", ")"),
    ),
    *of(
        "storage/clock.py",
        "tests/faults/test_clock.py",
        ("if second != known:", "if not known:"),
    ),
]
REACTIONS = [
    *of(
        "storage/transactions.py",
        "tests/storage/test_reactions.py",
        (
            "            self._begun.process = None\n        self._reactions.notify()\n",
            "            self._begun.process = None\n",
        ),
        (
            "        self._reactions.notify()\n        if mine",
            "        if mine",
        ),
        ("        self._reactions.notify()\n        return result", "        return result"),
    ),
    *of(
        "storage/reactions.py",
        "tests/storage/test_reactions.py",
        ("            del pending[before:]\n", ""),
        ("pending = self._thread.pending = list[Write]()", "pending = self._pending()"),
        ("        if self.listeners:\n", "        if True:\n"),
        ("            except Exception:\n", "            except KeyError:\n"),
        (
            "        with whole:\n            yield\n        if pending:\n",
            "        try:\n            with whole:\n                yield\n        finally:\n",
        ),
        ("if name not in old or old[name] != value", ""),
        ("self._notifying.acquire(blocking=False)", "self._notifying.acquire()"),
    ),
    *of(
        "storage/pages/scheduling.py",
        "tests/storage/test_reactions.py",
        ("store.reactions.record(Write, ", "("),
    ),
]
FULL_DISK = [
    *of(
        "storage/transactions.py", PLACES,
        ("            if not self._database.holds_transaction():\n                raise\n", ""),
    ),
    *of(
        "storage/engines/sqlite/pool.py", PLACES,
        ("return bool(self.connection().in_transaction)", "return True"),
    ),
]  # fmt: skip
POSTGRES_WRITES = of(
    "storage/transactions.py",
    "--database=postgresql tests/storage/test_postgres.py",
    (
        "                if not self._database.recover(error):\n                    raise\n"
        "                self._commit_batch(works)",
        "                raise",
    ),
    (
        "            if not self._database.recover(error):\n                raise\n"
        "            result = self._try(work)",
        "            raise",
    ),
)

CHECKS = [
    *of(
        "storage/maintenance/verify.py",
        f"{VERIFY_SOON} {BACKUP}",
        ('        yield from _checked("The database", store.engine.integrity_problems(db))\n', ""),
        ('        yield from _checked("The schema", schema.problems(db))\n', ""),
        (
            '    **{f"What {model._meta.table_name} holds": partial(_columns, model) for model in '
            "COLUMNS},\n",
            "",
        ),
        ('    "The versions and the identity": _single_rows,\n', ""),
        ('    "The text for searching": _texts,\n', ""),
        ('    "The slugs": _slugs,\n', ""),
        ('    "The counts of pages": _counts,\n', ""),
        ('    "The next ids": _next_ids,\n', ""),
        ("found = {**broken_page_rules(row), **found}", "pass"),
        ("    for name in sorted(db.versioned - names):", "    for name in ():"),
        ('if len(list(rows_of(db, StoreInfo, ["identity"]))) != 1:', "if False:"),
        (
            'if [_folded(row["title_raw"]), _folded(row["content_raw"])] != found.get(row["id"])',
            'if row["id"] not in found',
        ),
        ("PageText.id.not_in(Page.select(Page.id))", "PageText.id < 0"),
        ("PageLanguage.page_id.not_in(Page.select(Page.id))", "PageLanguage.page_id < 0"),
        ('Page.select(Page.slug).where(Page.slug != "")', "Page.select(Page.slug)"),
        ("    for counted, value in COUNTED.items():\n", "    for counted, value in ():\n"),
        ("        if highest > given[name]:\n", "        if False:\n"),
        (
            "        last = next_id(model._meta.table_name, last, rows[-1][0])\n",
            "        return\n",
        ),
        ("    with db.snapshot():\n", "    if True:\n"),
        ("    except Unavailable as error:\n", "    except ZeroDivisionError as error:\n"),
        ("as db, db.lenient():", "as db:"),
        ("PageCount.counted == counted, PageCount.pages != 0", "PageCount.counted == counted"),
    ),
    *of(
        "storage/maintenance/column_rules.py",
        VERIFY_SOON,
        *(
            (f"{name} = Rule({rule}, ", f"{name} = Rule(lambda _: True, ")
            for name, rule in {
                "TEXT": "is_text",
                "STAMP": "is_stamp",
                "OBJECT": "is_object",
                "FLAG": "_number(0, 1)",
                "COUNT": "_number(0)",
                "ID": "_number(1)",
                "SLUG": '_like("[%a-z0-9_-]{0,200}")',
                "DIGEST": '_like("[0-9a-f]{64}")',
                "STATUS": '{*STATUSES, "trash"}.__contains__',
                "NAME": 'lambda value: is_text(value) and value != ""',
                "SCOPES": '_like("[a-z]+:[a-z]+( [a-z]+:[a-z]+)*")',
                "HEX": '_like("[0-9a-f]+")',
            }.items()
        ),
        ('is_text(value) and value != ""', "is_text(value)"),
        (
            "datetime.fromisoformat(value).isoformat() == value",
            "bool(datetime.fromisoformat(value))",
        ),
        ("isinstance(json.loads(value), dict)", "json.loads(value) is not None"),
        *(
            (f"{end}\n    except (ValueError, RecursionError)", f"{end}\n    except ValueError")
            for end in ("(json.loads(value), dict)", "(json.loads(value), list)")
        ),
        ("isinstance(value, int) and least <= value <= most", "least <= value <= most"),
        ("value == exception or rule.holds(value)", "rule.holds(value)"),
        ('page["title_key"] != fold(page["title_raw"])', "False"),
        ('    if is_text(page["title_raw"]) and', "    if"),
        (
            'if not page["slug"] and page["status"] not in ("draft", "pending", "trash"):',
            "if False:",
        ),
        ('page["status"] not in ("draft", "pending", "trash")', 'page["status"] != "draft"'),
        ('if page["title_raw"] == "" == page["content_raw"]:', "if False:"),
    ),
    *of(
        "storage/maintenance/schema.py",
        VERIFY,
        ("        if part not in found:\n", "        if False:\n"),
        ("        elif not _is_same(part, found[part], sql):", "        elif False:"),
        ('if part.kind == "trigger" and part not in wanted:', "if False:"),
        ('part.kind == "trigger" and part not', "part not"),
        (
            "return found is not None if _is_index_part(part) else found == wanted",
            "return found == wanted",
            "this SQLite makes the parts of the index as it always did; another one need not",
        ),
        ("[INDEX, *broken] if parts else broken", "broken"),
        (
            "            if part not in parts:\n",
            "            if True:\n",
            "parts that are made twice are as empty as they were, and the index is rebuilt afterwards",
        ),
        ("                db.drop(part)\n", ""),
        ("                db.execute_sql(wanted[part])\n", ""),
        ('    if part.kind != "table":\n        return True\n', ""),
        ("(part.name in REPLACEABLE or _is_index_part(part))", "True"),
    ),
    *of(
        "storage/maintenance/repair.py",
        f"{VERIFY_SOON} {BACKUP}",
        ("            schema.repair(db)\n", ""),
        ("            store.engine.rebuild_search_index(db)\n", "            pass\n"),
        ("            _texts(store, db)\n", ""),
        ("            _single_rows(db)\n", ""),
        ("            count_pages(db)\n", ""),
        ("            db.advance_sequences(highest_ids(db))\n", ""),
        ('if not (is_text(page["title_raw"]) and is_text(page["content_raw"])):', "if False:"),
        ('if page["title_key"] != key:', "if False:"),
        ("            pages.INSERT_TEXT.run(store, text)\n", "            pass\n"),
        ("            pages.REPLACE_TEXT.run(store, text)\n", "            pass\n"),
        ("    PageText.delete().where(lost).execute(db)\n", ""),
        ("        ResourceVersion.insert(name=name, version=1).execute(db)\n", "        pass\n"),
        ("        StoreInfo.delete().execute(db)\n", ""),
        ("        identity.renew_generation(db)\n", "        pass\n"),
        ("    PageCount.delete().execute(db)\n", ""),
        (
            "        with store.transaction(), db.lenient():\n            _texts",
            "        with store.transaction():\n            _texts",
        ),
    ),
]

TIMES = [
    *of(
        "storage/pages/scheduling.py",
        DUE,
        (
            'DUE = FUTURE & (Page.date_utc <= Parameter("due"))',
            'DUE = FUTURE & (Page.date_utc < Parameter("due"))',
        ),
        ('(Page.date_utc > Parameter("due"))\nFIRST', '(Page.date_utc >= Parameter("due"))\nFIRST'),
        ("first is not None and first <= now", "first is not None and first < now"),
        ("retry = time() + RETRY_SECONDS if due else inf", "retry = inf"),
        ("min(_seconds(following), retry)", "retry"),
        ("min(_seconds(following), retry)", "_seconds(following)"),
        ('row["date_utc"] > due', 'row["date_utc"] >= due'),
        ('return {**row, "status": "publish", **version}', 'return {**row, "status": "publish"}'),
        ('(2 if row.get("status") == "future" else 1)', "1"),
        ("    if monotonic() < store.publish_again:\n        return\n", ""),
        ("    store.publish_again = monotonic() + RETRY_SECONDS\n", ""),
        ("        store.publish_again = 0.0\n", ""),
        ("store.try_write(lambda: _publish_alone(store, now))", "_publish_alone(store, now)"),
        ("with suppress(StorageError), store", "with store"),
        (
            "    store.database.without_durability()\n",
            "",
            "it spares a server the wait, and nothing else",
        ),
        ("version=Page.version + 1", "version=Page.version"),
        ("MOST_AT_ONCE = 50", "MOST_AT_ONCE = 1000"),
        (".order_by(Page.date_utc).limit", ".limit"),
    ),
    *of(
        "storage/sql/identity.py",
        f"{BACKUP} {COPYING}",
        ("return str(GENERATION.row(store)[0])", 'return ""'),
        ("    StoreInfo.update(generation=secrets.token_hex(5)).execute(db)\n", "    pass\n"),
    ),
    *of(
        "storage/sql/versions.py",
        f"{BACKUP} tests/api/test_conditional.py",
        ("return int(version), str(generation)", 'return int(version), ""'),
        (" or identity.generation(store) != expected.generation", ""),
        ('row["version"] not in expected.versions or ', ""),
    ),
    *of(
        "storage/failed_attempts.py",
        f"{GUESSES} {LOCKS}",
        ("    counted += self._in_memory(address, now // SECONDS)\n", "    pass\n"),
        ("if counted >= self._limit else 0", "if counted > self._limit else 0"),
        ("if counted >= self._limit else 0", "if False else 0"),
        ("        if seconds := self.retry_after(address):\n            return seconds\n", ""),
        ("                counts = {}\n", ""),
        (
            "            self._put_back(counts, minute)\n        return 0",
            "            pass\n        return 0",
        ),
        (
            "            with suppress(StorageError):\n                self._store",
            "            if True:\n                self._store",
        ),
        (
            "            if not seconds:\n                self._add",
            "            if False:\n                self._add",
        ),
        ("            seconds = self.retry_after(address)\n", "            seconds = 0\n"),
        ("        return self._store.try_write(count)", "        return count()"),
        (
            "        with suppress(StorageError):\n            self._store.try_write(lambda: less",
            "        if True:\n            self._store.try_write(lambda: less",
        ),
        (
            "            self._store.try_write(lambda: less.execute(self._store.database))",
            "            pass",
        ),
        ("        FailedAttempt.delete().where(FailedAttempt.minute < minute).execute(db)\n", ""),
        (
            "            taken, self._unstored = self._unstored, {}",
            "            taken = self._unstored",
        ),
        ("            if minute != self._minute:\n                return 0\n", ""),
        ("        if minute < self._minute:\n            return\n", ""),
        ("            if minute < self._minute:\n", "            if False:\n"),
        ("self._minute, self._unstored = minute, {}", "self._minute = minute"),
        ("            name = address if known else OTHERS\n", "            name = address\n"),
        ("self._unstored.get(address if known else OTHERS, 0)", "self._unstored.get(address, 0)"),
    ),
    *of(
        "service/auth/throttling.py",
        f"{GUESSES} {LOCKS} {PLACES}",
        ("        _refuse_until(self._attempts.retry_after(where))\n", ""),
        ("if right and self._has_shown(where, proof):", "if False:"),
        ("if right and self._has_shown(where, proof):", "if right:"),
        ("            self._note(where, None)\n", ""),
        ("        _refuse_until(seconds)\n        if", "        if"),
        ("        self._attempts.release(where, minute)\n", ""),
        ("        self._note(where, proof)\n", ""),
        ("            if len(self._proofs) > MOST_PROOFS:\n", "            if False:\n"),
        (
            'raise ApiError(503, "storage_unavailable", UNCOUNTED, headers=retry) from error',
            "seconds, minute = 0, 0",
        ),
        (
            "_refuse_until(self._attempts.record_failure(address_key(address)))",
            "self._attempts.record_failure(address_key(address))",
        ),
    ),
]

STORE = [
    *of(
        "storage/store.py",
        f"{STORAGE} {UPGRADE} {COPYING} {OPENING} {MOVED} {PLACES}",
        ("        if self._is_pending:\n", "        if False:\n"),
        ("            if create:\n                raise\n", ""),
        ("            self._is_pending = True\n", ""),
        ("if create and self.identity is None:", "if self.identity is None:"),
        ("if create and self.identity is None:", "if create:"),
        (
            "                    self.engine.check()\n                    applied",
            "                    applied",
        ),
        ("                if time.monotonic() > give_up:\n", "                if True:\n"),
        ("            self.dispose()\n\n    def _catch", "            pass\n\n    def _catch"),
        (
            "        except DatabaseUnusable as error:\n            raise Unavailable from error\n",
            "        except ZeroDivisionError:\n            raise\n",
        ),
        ("        self._is_pending = False\n\n    def hold", "\n    def hold"),
    ),
    *of(
        "storage/migrating.py",
        f"{OPENING} {STORAGE} {UPGRADE} {COPYING} {MOVED} {PLACES}",
        ('if not db.table_exists("schema_migration") or not db.table_exists(Page):', "if False:"),
        (" or not db.table_exists(Page):", ":"),
        ("    elif current:\n", "    elif False:\n"),
        ("    _refuse_unfinished_copy(engine)\n    engine", "    engine"),
        (
            "        if db.table_exists(ResourceVersion):\n            _refuse_unfinished_copy(engine)",
            "        pass",
        ),
        ("    engine.database.identity = _read_identity(engine)\n", ""),
        ("        if _is_current(engine, migrations):\n            return []\n", ""),
        ("            engine.before_migration(pending[0][:4])\n", ""),
        ("    if len(rows) != 1:\n", "    if not rows:\n"),
        ("    if applied - known:\n", "    if False:\n"),
        (
            "    with engine.database.atomic():\n        # Another",
            "    if True:\n        # Another",
        ),
    ),
    *of(
        "storage/maintenance/batches.py",
        f"{IMPORTING} {TRANSFER}",
        ('        raise ImportRefused(f"the slug', '        ImportRefused(f"the slug'),
        ('if by == "slug" and not row["slug"]:', "if False:"),
        (" or key in self._batch:", ":"),
        ("            if old and old.is_same:\n", "            if False:\n"),
        ("                slugs.pop(old.slug, None)\n", ""),
        ('            slugs[row.get("slug", "")] = row["id"]\n', ""),
        ('max(row["version"], old.version)', 'row["version"]'),
        ('max(row["version"], old.version)', "old.version"),
        ("        _write(self._store.database, PageText, texts)\n", ""),
        ("max(given[name], highest[name])", "given[name]"),
        ("max(given[name], highest[name])", "highest[name]"),
        (' or (name == "meta" and _parsed(old[name]) == _parsed(value))', ""),
    ),
    *of(
        "storage/maintenance/bulk.py",
        IMPORTING,
        ("        repair.count_pages(db)\n", ""),
        ("        self._store.engine.rebuild_search_index(db)\n", ""),
        ("        for sql in self._dropped.values():\n", "        for sql in ():\n"),
        ("        if self._dropped or expected", "        if expected"),
    ),
    *of(
        "standalone/commands/_lines.py",
        IMPORTING,
        ("        if orjson.dumps(value) == line:\n", "        if True:\n"),
        ("suppress(ValueError, TypeError)", "suppress(ValueError)"),
        (" == crc32(line) != 0:", " != 0:"),
        (" == crc32(line) != 0:", ":"),
        ("        and all(row[name] is value", "        and all(row[name] == value"),
    ),
    *of(
        "storage/maintenance/transfer.py",
        f"{TRANSFER} {IMPORTING} {BACKUP}",
        ("        if writer.refused or not keep:\n", "        if writer.refused:\n"),
        ("        if writer.refused or not keep:\n", "        if not keep:\n"),
        (f"{LINE_VERSION}            identity.renew_generation(db)\n", "            pass\n"),
        (
            f'if writer.counts["created"] or writer.counts["changed"]:\n{LINE_VERSION}',
            "if True:\n",
        ),
        ("sorted(writer.refused)", "writer.refused"),
        (
            '                last = next_id(name, last, found[-1]["id"])\n',
            "                break\n",
        ),
        ("as db, db.snapshot():", "as db:"),
        (
            "                if len(found) < BATCH:\n                    break\n",
            "                if not found:\n                    break\n",
            "one statement more, and the same rows",
        ),
    ),
    *of(
        "storage/maintenance/copying.py",
        COPYING,
        ("        if any(model.select().count(written) for model in COPIED):", "        if False:"),
        (
            "            ResourceVersion.insert(name=COPY_IN_PROGRESS, version=0).execute(written)\n",
            "            pass\n",
        ),
        ("        if mine != copied:\n", "        if False:\n"),
        ("            written.advance_sequences(given)\n", ""),
        ("            identity.renew_generation(written)\n", ""),
        ("            ResourceVersion.delete().where(MARK).execute(written)\n", ""),
        ("as read, read.snapshot(), target", "as read, target"),
        (
            "        if len(rows) < size:\n            return\n",
            "        if not rows:\n            return\n",
            "one statement more, and the same rows",
        ),
        (
            "            if isinstance(error, peewee.DatabaseError) and store.engine.translate_error(error):\n"
            "                raise\n",
            "",
        ),
    ),
    *of(
        "storage/query_budget.py",
        BUDGET,
        ("        if now < self._free_until:\n            return False\n", ""),
        ("(now >= self._deadline or self._is_beyond_share())", "now >= self._deadline"),
        ("(now >= self._deadline or self._is_beyond_share())", "self._is_beyond_share()"),
        ("            self.refusal = TooExpensive\n        elif", "            pass\n        elif"),
        ("            self.refusal = SearchBusy\n", "            pass\n"),
        ("            self._lock.release()\n", "            pass\n"),
    ),
]

REQUESTS = [
    *of(
        "storage/engines/sqlite/watcher.py",
        KEPT,
        ("(self._opened, version, *rest) for", "(version, *rest) for"),
        ("(self._opened, version, *rest) for", "(self._opened, version, rest[0]) for"),
        ("(self._opened, version, *rest) for", "(self._opened, version, rest[1]) for"),
        ("if self._seen is None or self._seen.commits != commits:", "if self._seen is None:"),
    ),
    *of(
        "storage/maintenance/repair.py",
        KEPT,
        ("ResourceVersion.update(version=ResourceVersion.version + 1).execute(db)", "pass"),
    ),
    *of(
        "service/http/response_cache.py",
        KEPT,
        ("return [versions.of(table) for table in response.made_of]", "return []"),
        ("time() < cached.valid_until and made_at", "made_at"),
        ("        self._bytes -= size\n        return", "        return"),
    ),
    *of(
        "service/auth/credentials.py",
        KEPT,
        ("return bool(self._digests) and not (caller and caller.is_stored)", "return True"),
        ("return bool(self._digests) and not (caller and caller.is_stored)", "return False"),
    ),
    *of(
        "service/json_codec.py",
        RESPONSES,
        ('text.count("{") + text.count("[") >= most_depth', 'text.count("{") >= most_depth'),
        ('text.count("{") + text.count("[") >= most_depth', 'text.count("[") >= most_depth'),
        (">= most_depth and depth", "> most_depth and depth"),
    ),
    *of(
        "service/http/query.py",
        RESPONSES,
        ('if "%" in text or "+" in text:', 'if "%" in text:'),
        ('if "%" in text or "+" in text:', 'if "+" in text:'),
        ('text.split("&") if part', 'text.split("&")'),
    ),
    *of(
        "schemas/known_names.py",
        IGNORED,
        ("frozenset({*taken, *read, *also})", "frozenset({*taken, *also})"),
        ("            if name in data:\n", "            if False:\n"),
        ("return None if field.only is None else _unless(field.only)", "return None"),
        ("return _unless(constants) if constants else None", "return None"),
    ),
    *of(
        "service/http/ignored.py",
        IGNORED,
        ("(request.service.options.strict and not preferred)", "request.service.options.strict"),
        (" or (not preferred and _leaves_nothing(request, paths))", ""),
        ('name.strip().lower() == "handling"', 'name.strip() == "handling"'),
    ),
    *of(
        "service/http/ignored.py",
        IGNORED,
        ("if not cut or DATA.intersection(cut):", "if not cut:"),
        ("    while sum(map(len, labels)) > LONGEST_LIST:\n", "    while False:\n"),
    ),
    *of(
        "service/http/response_cache.py",
        IGNORED,
        ('        environ.get("HTTP_PREFER"),\n', ""),
    ),
]

SITE = [
    *of(
        "storage/pages/windows.py",
        "tests/storage/test_windows.py",
        ("    if local.fold:\n", "    if False:\n"),
        ("closes + timedelta(days=1)", "closes"),
        ('(page["closes_local"] or "~") <= at.local', '(page["closes_local"] or "~") < at.local'),
        ("        if _local(clock, late).replace(tzinfo=None) > moment:\n", "        if False:\n"),
        ("min(ends, default=inf)", "inf"),
    ),
    *of(
        "service/signing.py",
        "tests/api/test_previews.py tests/api/test_site_passwords.py",
        ("content[0] != page_id or ", ""),
        ("if content[1] == previews.revocations(store, page_id) else None", ""),
        (" or content[2] <= _now(store)", ""),
        ('"password", page["password"])', '"password")'),
        (" and content[1] > _now(store)", ""),
    ),
    *of(
        "service/site/visits.py",
        "tests/api/test_site.py",
        ('    if page["status"] == "trash":\n', "    if False:\n"),
        ("    request.reject_invalid_credentials()\n", "    pass\n"),
    ),
    *of(
        "service/site/pages.py",
        "tests/api/test_site.py",
        (
            "age, until = int(max(0, min(most, left - 2))), visited.now + 1",
            "age, until = most, visited.turn",
        ),
        ("    if any(name in request.http.environ for name in CREDENTIALS):\n", "    if False:\n"),
        ("    if not request.service.options.public_url:\n", "    if False:\n"),
    ),
    *of(
        "service/site/unlocking.py",
        "tests/api/test_site_passwords.py -k only_at_the_address",
        ("if visited.is_elsewhere or visited.seen", "if visited.seen"),
    ),
    *of(
        "service/site/sitemap.py",
        "tests/api/test_sitemap.py",
        (", page, MOST, *state.moments", ", page, MOST"),
        ("request.cache(TABLE, state.until)", 'request.cache("feed", state.until)'),
        ('"/sitemap.xml", public=True, query=QUERY', '"/sitemap.xml", public=True'),
    ),
    *of(
        "service/site/responses.py",
        "tests/api/test_site.py tests/api/test_site_passwords.py",
        ("        if given == PRIVATE:\n", "        if False:\n"),
        ("self.templates.digest, repr(self._common), options.site_policy", "()"),
    ),
]

MODES, REPEATING = "tests/migration/test_modes.py", "tests/migration/test_repeating.py"
OTHERS = "tests/migration/test_other_sites.py"
MOVES = [
    *of(
        "standalone/wordpress/walking.py",
        f"{MODES} -k moves",
        ('return int(rows[0]["id"]) > self.position.last', "return False"),
    ),
    *of(
        "standalone/wordpress/walking.py",
        f"{OTHERS} -k 'few_pages or one_at_a_time'",
        ("return min(1, self._size - 1)", "return 1"),
        ("refused.status != 400 or self._size == 1", "refused.status != 400 or self._size <= 10"),
        ("at.moved |= not (self._overlap or at.done)", "pass"),
    ),
    *of(
        "standalone/wordpress/meta.py",
        f"{OTHERS} -k acf",
        ('.endswith(f"_{key}")', ".endswith(key)"),
        ("all(name.isdecimal() for name in value)", "False"),
    ),
    *of(
        "standalone/wordpress/convert.py",
        f"{OTHERS} -k id_that",
        ("if 1 <= number <= LARGEST:", "if True:"),
    ),
    *of(
        "standalone/wordpress/importer.py",
        f"{OTHERS} -k 'database_holds'",
        (
            "near = {one.source_id: one for one in rows if not far_id(one.source_id)}",
            "near = {one.source_id: one for one in rows}",
        ),
        ("self.report.add(self._left_out())", "pass"),
    ),
    *of(
        "standalone/wordpress/page_reader.py",
        f"{OTHERS} -k 'one_at_a_time'",
        ("position.total - len(self.ids) - self._far", "position.total - len(self.ids)"),
    ),
    *of(
        "standalone/wordpress/feed_reader.py",
        f"{OTHERS} -k 'ask_up_to_it'",
        (" if not far_id(number))", ")"),
    ),
    *of(
        "schemas/known_only.py",
        IGNORED,
        ("if messages == [unknown] else None", "if False else None"),
        ("if isinstance(message, CodedMessage) else text", "if False else text"),
    ),
    *of(
        "standalone/server/refusals.py",
        "tests/standalone/test_worker.py -k repeated_nowhere",
        ("OTHERS.get(type(error), UNREADABLE)", "UNREADABLE"),
    ),
    *of(
        "standalone/server/worker.py",
        "tests/standalone/test_worker.py -k repeated_nowhere",
        ('cannot be read: %s.", type(error).__name__)', 'cannot be read: %s.", error)'),
    ),
    *of(
        "storage/transactions.py",
        "tests/storage/test_forks.py",
        ("not in (None, os.getpid()):", "is None and False:"),
        ("return self._lines[os.getpid()]", "return self._lines[0]"),
        ("            if os.getpid() != process:\n", "            if False:\n"),
    ),
    *of(
        "storage/engines/database.py",
        "tests/storage/test_forks.py",
        ("                self._connections, self._in_use = [], {}\n", "                pass\n"),
        ("                self._state = type(self._state)()\n", "                pass\n"),
        ("                self._inherit(", "                repr("),
    ),
    *of(
        "storage/process_lock.py",
        "tests/storage/test_forks.py",
        ("        process = os.getpid()\n", "        process = 0\n"),
    ),
    *of(
        "storage/engines/sqlite/pool.py",
        "tests/storage/test_forks.py",
        ("        if self._forked_in_a_write:\n", "        if False:\n"),
    ),
    *of(
        "storage/engines/sqlite/engine.py",
        "tests/faults/test_places.py -k which_right",
        ("if any(text in problem for text in NOT_WRITABLE):", "if False:"),
    ),
    *of(
        "standalone/wordpress/client.py",
        f"{MODES} -k 'other_host or asked_again'",
        ("            if response.status not in BUSY:", "            if True:"),
    ),
    *of(
        "standalone/wordpress/page_reader.py",
        f"{MODES} -k 'moves or exactly'",
        ('*statuses, "any"]', "*statuses]"),
    ),
    *of(
        "storage/maintenance/merging.py",
        f"{REPEATING} {MODES} -k 'changed_there or no_longer'",
        (
            "elif not self._is_as_stored:",
            "elif False:",
        ),
        ('return {**row, "meta": {**row["meta"], **kept}}', "return dict(row)"),
    ),
    *of(
        "storage/maintenance/incoming.py",
        f"{REPEATING} -k 'dry or kill'",
        ("            origins.save_run(self._store, self._run)\n", ""),
        (
            "                raise _Undone\n            origins.save(",
            "                pass\n            origins.save(",
        ),
    ),
]

LINES = [
    *of(
        "standalone/logs.py",
        "tests/standalone/test_logs.py -k 'no_text or terminal'",
        (
            '        return "\\n    ".join([line, *map(_safe, trace.splitlines())])',
            "        return line",
        ),
        ("{request_id or '-'} {_safe(message)}", "{request_id or '-'} {message}"),
        ('(style == "AUTO" and not is_terminal)', '(style == "AUTO")'),
    ),
    *of(
        "standalone/access_log.py",
        "tests/standalone/test_logs.py tests/standalone/test_observing.py -k 'gunicorn or none'",
        ("        REQUEST_ID.reset(before)\n", ""),
        ("if sent and SAFE_ID.fullmatch(sent)", "if sent"),
    ),
    *of(
        "service/http/body.py",
        "tests/api/test_http.py -k 'sent or told or blank or kind'",
        ("and not JSON_START.match(raw)", ""),
        (
            "    if raw.strip():\n        raise wrong_type",
            "    if False:\n        raise wrong_type",
        ),
        ("(400, code) if code else", "(415, code) if code else"),
    ),
]

RUNS = [
    *of(
        "storage/runs.py",
        "tests/storage/test_run_storage.py",
        ('if run["due_utc"] is None or run["due_utc"] > _text(now):', 'if run["due_utc"] is None:'),
        ('if run["state"] != CLAIMED or not is_mine:', 'if run["state"] != CLAIMED:'),
        ('again if values["retryable"] else None', "again"),
    ),
    *of(
        "service/planning/operators.py",
        "tests/planning",
        ("if one.integer is not None and other.integer is not None:", "if False:"),
        ('or (operator == "is" and not target.text)', ""),
    ),
    *of(
        "service/planning/plan.py",
        "tests/api/test_feed_plan.py",
        ('self._only.setdefault(feed["addon_slug"], feed["id"])', "pass"),
        ('problem = condition.problem and f"{PROBLEM}{condition.problem}."', 'problem = ""'),
    ),
    *of(
        "service/planning/conditions.py",
        "tests/planning",
        ("if condition.problem:", "if False:"),
        ("return not wanted", "return wanted"),
    ),
    *of(
        "storage/feed_order.py",
        "tests/api/test_feed_order.py",
        ("if unknown or (missing and not partial):", "if missing and not partial:"),
    ),
]

MUTANTS = [
    *FILES, *PLACE, *COPIES, *WRITES, *TRANSLATED, *SAVEPOINTS, *SLUGS, *REACTIONS, *FULL_DISK, *POSTGRES_WRITES,
    *CHECKS, *TIMES, *STORE, *REQUESTS, *CALLS, *LINES, *RUNS, *MOVES, *SITE,
]  # fmt: skip
