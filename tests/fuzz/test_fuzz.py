"""A small share of what ``python -m tests.fuzz`` does, always the same."""

import random
import warnings

import pytest

from tests.fuzz.mutation import mutated
from tests.fuzz.outcomes import REFUSED, SKIPPED, TAKEN
from tests.fuzz.subjects import attempt, subjects
from tests.fuzz.workers import Case, run_cases

COUNTS = {
    "controller": 170,
    "figure": 400,
    "bones": 170,
    "terrain": 800,
    "motion": 300,
    "text": 80,
    "options": 80,
}
"""Without those whose kernels take long to load; about 2,000 in all."""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # MuJoCo writes its warnings into a file here
    return tmp_path


@pytest.mark.parametrize("kind", COUNTS)
def test_good_files_are_taken(kind, folder):
    assert {attempt(subject, subject.content, folder) for subject in subjects(kind)} == {TAKEN}


@pytest.mark.parametrize("kind", COUNTS)
def test_files_with_mistakes_are_taken_or_refused_in_one_line(kind, folder):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for number in range(COUNTS[kind]):
            case = Case(kind, 1, number)
            assert attempt(case.subject, case.content, folder) in (TAKEN, REFUSED, SKIPPED), case


@pytest.mark.parametrize("mistakes", ["text", "numbers", "bytes"])
def test_mistakes_are_the_same_for_the_same_seed_and_made_of_anything(mistakes):
    for content in (b"", b"x", b"a = 1\n" * 50):
        for seed in range(200):
            first, second = (mutated(content, random.Random(seed), mistakes) for _ in range(2))
            assert first == second


def test_a_process_answers_for_every_case():
    cases = [Case("terrain", 3, number) for number in range(30)]
    found = {result.case: result for result in run_cases(iter(cases), 1)}
    assert set(found) == set(cases)
    assert all(result.outcome in (TAKEN, REFUSED) for result in found.values())
