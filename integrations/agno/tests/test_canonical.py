"""The canonical form: byte for byte what Countersign writes."""

from __future__ import annotations

import decimal
import json
import unittest
from pathlib import Path
from typing import Any

from countersign_agno.canonical import NotCanonical, WireNumber, canonical, hash_of, parse

VECTORS = Path(__file__).parent / "canonical-vectors.jsonl"


class TheCanonicalForm(unittest.TestCase):
    def test_each_vector_is_written_as_countersign_writes_it(self) -> None:
        vectors = [json.loads(line) for line in VECTORS.read_text(encoding="ascii").splitlines()]

        wrong = [text for text, expected in vectors if canonical(parse(text)) != expected]

        self.assertEqual(len(vectors), 10_000)
        self.assertEqual(wrong, [])

    def test_a_bool_is_no_number_and_a_whole_float_is_a_whole_number(self) -> None:
        self.assertEqual(canonical([True, 1, 1.0, -0.0, 1e16, 10**22]), "[true,1,1,0,10000000000000000,1e+22]")

    def test_what_a_double_does_not_hold_keeps_its_digits(self) -> None:
        self.assertEqual(canonical(2**53 + 1), '{"$number":"9007199254740993"}')
        self.assertEqual(canonical(10**400), '{"$number":"' + str(10**400) + '"}')
        self.assertEqual(parse("1e400"), WireNumber("1e400"))

    def test_two_halves_put_together_are_one_character(self) -> None:
        self.assertEqual(canonical("\ud83d" + "\ude00"), canonical("\U0001f600"))
        self.assertEqual(canonical("\ude00" + "\ud83d"), '"\\ude00\\ud83d"')

    def test_the_precision_that_a_program_sets_for_decimals_changes_nothing(self) -> None:
        with decimal.localcontext() as context:
            context.prec = 3
            self.assertEqual(canonical(0.1234567890123456), "0.1234567890123456")

    def test_what_json_does_not_have_is_refused(self) -> None:
        deep: Any = []
        for _ in range(100_000):
            deep = [deep]
        for value in (
            float("nan"),
            float("inf"),
            (1,),
            {1: 2},
            b"x",
            {1},
            decimal.Decimal(1),
            10**5000,
            object(),
            deep,
        ):
            with self.subTest(type(value)), self.assertRaises(NotCanonical):
                canonical(value)

    def test_a_text_that_is_no_json_or_too_deep_is_refused(self) -> None:
        for text in ("NaN", "Infinity", "[" * 100_000, "", "{", "1e-" + "9" * 5_000):
            with self.subTest(text[:20]), self.assertRaises(ValueError):
                parse(text)

    def test_the_hash_is_sha256_of_the_text(self) -> None:
        self.assertEqual(hash_of({}), "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a")


if __name__ == "__main__":
    unittest.main()
