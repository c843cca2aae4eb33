"""What is wrong with a gate's file or its store: one sentence that says what to do, and nothing runs."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

from countersign_agno.marks import RedisMarks, SqliteMarks, open_marks
from countersign_agno.refused import Refused
from countersign_agno.settings import load

KEY = {"kty": "OKP", "crv": "Ed25519", "kid": "k", "x": "AAAA", "alg": "EdDSA", "use": "sig"}
FILE = {"version": 1, "installation": "test", "keys": [KEY], "marks": "marks.db"}


class InAFolder(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.file = self.folder / "gate.json"
        bare = mock.patch.dict(os.environ)
        bare.start()
        self.addCleanup(bare.stop)
        for name in ("COUNTERSIGN_GATE", "COUNTERSIGN_MARKS"):
            os.environ.pop(name, None)

    def write(self, said: Any) -> Path:
        self.file.write_text(said if isinstance(said, str) else json.dumps(said), encoding="utf-8")
        return self.file


class TheFile(InAFolder):
    def test_says_whose_receipts_count_and_where_calls_are_marked(self) -> None:
        said = {**FILE, "instance": "main", "keys": [{**KEY, "not_before": "2026-11-25T00:00:00Z", "not_after": None}]}

        settings = load(self.write(said))

        self.assertEqual((settings.installation, settings.instance, settings.sandbox), ("test", "main", False))
        self.assertEqual(settings.keys["k"].not_before, 1_795_564_800_000)
        self.assertEqual(settings.marks, str(self.folder / "marks.db"))

    def test_may_be_named_by_the_environment_and_the_marks_too(self) -> None:
        os.environ["COUNTERSIGN_GATE"] = str(self.write({**FILE, "marks": "redis://one"}))
        self.assertEqual(load().marks, "redis://one")
        os.environ["COUNTERSIGN_MARKS"] = "redis://other"
        self.assertEqual(load().marks, "redis://other")

    def test_that_is_of_no_use_is_refused_with_a_sentence_that_says_what_to_do(self) -> None:
        cases: list[tuple[Any, str]] = [
            ("", "is no JSON; write it anew with: countersign keys export"),
            ("[]", "holds no object"),
            ({}, "is of version None, which this gate does not know"),
            ({**FILE, "version": 2}, "is of version 2"),
            ({**FILE, "more": 1}, "says 'more', which this gate does not know"),
            ({**FILE, "installation": ""}, "names no installation"),
            ({**FILE, "instance": 1}, "instance must be a name"),
            ({**FILE, "sandbox": "yes"}, "sandbox true or false"),
            ({**FILE, "keys": []}, "holds no keys"),
            ({**FILE, "keys": ["k"]}, "holds a key that is none of Ed25519 or P-256"),
            ({**FILE, "keys": [{**KEY, "crv": "X25519"}]}, "holds a key that is none of Ed25519 or P-256"),
            ({**FILE, "keys": [{**KEY, "d": "secret"}]}, "holds a private key"),
            ({**FILE, "keys": [{**KEY, "kty": "EC", "crv": "P-256"}]}, "holds a key without its y"),
            ({**FILE, "keys": [{**KEY, "not_after": "soon"}]}, "not_after must be a moment such as"),
            ({**FILE, "keys": [{**KEY, "not_after": "2026-11-25T00:00:00"}]}, "not_after must say its zone"),
            ({**FILE, "ended_list": "file:///etc"}, "ended_list must be the address of Countersign's list"),
            ({**FILE, "marks": None}, "nothing says where calls that ran are marked"),
        ]
        for said, why in cases:
            with self.subTest(why), self.assertRaisesRegex(Refused, f"^countersign refused: .*{why}"):
                load(self.write(said))

    def test_that_is_not_there_is_refused(self) -> None:
        with self.assertRaisesRegex(Refused, "names no file of keys; write one with: countersign keys export"):
            load()
        with self.assertRaisesRegex(Refused, r"cannot be read \(FileNotFoundError\)"):
            load(self.folder / "none.json")
        self.file.write_bytes(b"\xff")
        with self.assertRaisesRegex(Refused, r"cannot be read \(UnicodeDecodeError\)"):
            load(self.file)


class MarksInAFile(InAFolder):
    def test_are_set_once(self) -> None:
        marks = SqliteMarks(str(self.folder / "marks.db"))

        self.assertEqual([marks.set("a", "d"), marks.set("a", "e"), marks.set("b", "d")], [True, False, True])
        self.assertFalse(SqliteMarks(str(self.folder / "marks.db")).set("a", "d"))

    def test_that_cannot_be_written_refuse(self) -> None:
        with self.assertRaisesRegex(Refused, "^countersign refused: the marks of calls that ran, .* cannot be written"):
            SqliteMarks(str(self.folder / "no" / "marks.db")).set("a", "d")

    def test_of_an_unknown_kind_refuse(self) -> None:
        with self.assertRaisesRegex(Refused, "are to be a file or a redis:// address, not http://"):
            open_marks("http://here")


class MarksInRedis(InAFolder):
    def setUp(self) -> None:
        super().setUp()
        try:
            import redis  # noqa: F401
        except ImportError:
            self.skipTest("the extra [redis] is not installed")

    def test_that_do_not_answer_refuse(self) -> None:
        with self.assertRaisesRegex(Refused, "^countersign refused: the Redis with the marks .* does not answer"):
            open_marks(f"unix://{self.folder}/no.sock").set("a", "d")

    def test_are_set_once_for_all_hosts(self) -> None:
        server = shutil.which("redis-server")
        if server is None:
            self.skipTest("there is no redis-server")
        socket = self.folder / "r.sock"
        options = ["--port", "0", "--unixsocket", str(socket), "--save", "", "--dir", str(self.folder)]
        running = subprocess.Popen([server, *options], stdout=subprocess.DEVNULL)
        self.addCleanup(running.wait)
        self.addCleanup(running.kill)
        while not socket.exists():
            time.sleep(0.02)

        one, other = RedisMarks(f"unix://{socket}"), RedisMarks(f"unix://{socket}")

        self.assertEqual([one.set("a", "d"), other.set("a", "d"), other.set("b", "d")], [True, False, True])


class Imports(unittest.TestCase):
    def test_what_needs_no_agno_is_there_without_it(self) -> None:
        code = "import sys; sys.modules['agno'] = None; import countersign_agno; print(countersign_agno.Refused('x'))"

        said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

        self.assertEqual(said.stdout.strip(), "countersign refused: x")


if __name__ == "__main__":
    unittest.main()
