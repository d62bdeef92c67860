"""Measuring: seeds in processes of their own, what a killed one costs, going on, and which seeds may judge."""

import json

import pytest

from attend.evidence.kit import earlier, measure, records


def in_turn(units, jobs):
    """An engine without processes."""
    for unit in units:
        try:
            yield unit, measure.run(unit)
        except RuntimeError as error:
            yield unit, (None, 0.0, str(error))


def run(made_up, *names, claims=None, engine=in_turn, seeds=None, **options):
    claims = claims or made_up.claims()
    chosen = [claims[name] for name in names or claims]
    wanted = None if seeds is None else {one.name: seeds for one in chosen}
    return measure.measure(chosen, wanted, engine=engine, folder=made_up.records, say=lambda text: None, **options)


def test_every_seed_is_measured_once_and_judged(made_up):
    twice, large = run(made_up)
    assert (twice.found.verdict, large.found.verdict) == ("holds", "does not hold here")
    assert sorted(made_up.ran()) == list(range(6))
    book = json.loads(next(made_up.records.glob("*.json")).read_text())
    assert [name.partition(".")[2] for name in book] == ["twice"], "what is measured here has no record"
    assert not list(made_up.records.glob("*.part"))


@pytest.mark.nightly
def test_a_killed_worker_and_a_failed_one_lose_their_own_seeds_and_a_second_run_goes_on(made_up):
    (made_up.folder / "kill").touch()
    (made_up.folder / "fail").touch()
    (row,) = run(made_up, "twice", engine=measure.processes, jobs=2)
    assert not row.good
    assert row.found is None
    assert any("seed 3" in wrong and "-9" in wrong for wrong in row.wrong)
    assert any("seed 4" in wrong and "out of luck" in wrong for wrong in row.wrong)
    assert sorted(made_up.ran()) == [0, 1, 2, 5]
    assert not list(made_up.records.glob("*.json")), "no record of half a measurement"
    (made_up.folder / "kill").unlink()
    (made_up.folder / "fail").unlink()
    (row,) = run(made_up, "twice", engine=measure.processes, jobs=2)
    assert row.good
    assert sorted(made_up.ran()) == list(range(6)), "only what was missing ran again"


@pytest.mark.nightly
@pytest.mark.filterwarnings("ignore")  # of Ray
def test_on_ray_a_killed_worker_is_begun_again_and_a_failed_one_loses_its_own_seed(made_up):
    (made_up.folder / "kill-once").touch()
    (made_up.folder / "fail").touch()
    (row,) = run(made_up, "twice", engine=measure.on_ray, jobs=2)
    assert not (made_up.folder / "kill-once").exists(), "no worker was killed"
    assert sorted(made_up.ran()) == [0, 1, 2, 3, 5]
    (wrong,) = row.wrong
    assert "seed 4" in wrong
    assert "out of luck" in wrong
    (made_up.folder / "fail").unlink()
    (row,) = run(made_up, "twice")
    assert row.good
    assert sorted(made_up.ran()) == list(range(6)), "only what was missing ran again"


@pytest.mark.nightly
@pytest.mark.filterwarnings("ignore")
def test_on_ray_a_worker_that_is_killed_every_time_is_given_up(made_up):
    (made_up.folder / "kill").touch()
    (row,) = run(made_up, "twice", engine=measure.on_ray, jobs=2)
    (wrong,) = row.wrong
    assert "seed 3: its worker was lost 4 times" in wrong
    assert sorted(made_up.ran()) == [0, 1, 2, 4, 5]


def test_what_is_kept_of_a_run_with_other_code_is_not_used(made_up):
    (made_up.folder / "fail").touch()
    run(made_up, "twice")
    (made_up.folder / "fail").unlink()
    claims = made_up.change("return SCALE * x", "return SCALE * x + 1")
    run(made_up, "twice", claims=claims)
    assert len(made_up.ran()) == 5 + 6


def test_code_that_changes_while_seeds_run_makes_the_record_stale(made_up):
    def edited(units, jobs):
        yield from in_turn(units, jobs)
        made_up.change("return SCALE * x", "return SCALE * x + 1")

    run(made_up, "twice", engine=edited)
    with pytest.raises(records.StaleRecord, match="twice and what it calls"):
        records.read(made_up.claims()["twice"], made_up.records)


def test_a_line_that_was_cut_off_is_measured_again(made_up):
    (made_up.folder / "fail").touch()
    run(made_up, "twice")
    (made_up.folder / "fail").unlink()
    (part,) = made_up.records.glob("*.part")
    part.write_text(part.read_text()[:-20])
    (row,) = run(made_up, "twice")
    assert row.good


def test_other_seeds_judge_and_write_nothing(made_up):
    run(made_up, "twice")
    before = next(made_up.records.glob("*.json")).read_bytes()
    (row,) = run(made_up, "twice", seeds=range(100, 106))
    assert row.good
    assert next(made_up.records.glob("*.json")).read_bytes() == before
    assert set(made_up.ran()) == {*range(6), *range(100, 106)}


def test_a_verdict_that_differs_from_the_record_is_told(made_up):
    run(made_up, "twice")
    claims = made_up.change("return SCALE * x", "return x")
    (row,) = run(made_up, "twice", claims=claims, seeds=range(100, 106))
    assert (row.before, row.found.verdict) == ("holds", "does not hold here")
    assert not row.good


def test_a_margin_that_was_moved_is_not_judged_by_seeds_that_were_seen(made_up):
    run(made_up, "twice")
    claims = made_up.change("by=0.1", "by=0.2")
    with pytest.raises(ValueError, match=r"rule: was More\(.*by=0\.1.*is More\(.*by=0\.2.*seeds \[0, 1"):
        run(made_up, "twice", claims=claims)
    claims = made_up.change("seeds=range(6)", "seeds=range(10, 16)")
    (row,) = run(made_up, "twice", claims=claims)
    assert row.good


def test_nor_by_seeds_of_a_run_that_was_broken_off(made_up):
    (made_up.folder / "fail").touch()
    run(made_up, "twice")
    (made_up.folder / "fail").unlink()
    claims = made_up.change("by=0.1", "by=0.01")
    with pytest.raises(ValueError, match=r"is More\(.*by=0\.01.*seeds \[0\] were looked at"):
        run(made_up, "twice", claims=claims)
    assert len(made_up.ran()) == 5


def test_nor_by_seeds_of_a_trial(made_up):
    (row,) = run(made_up, "twice", seeds=range(4, 10))
    assert row.good
    claims = made_up.change("by=0.1", "by=0.2")
    with pytest.raises(ValueError, match=r"is More\(.*by=0\.2.*seeds \[4\] were looked at"):
        run(made_up, "twice", claims=claims)
    claims = made_up.change("seeds=range(6)", "seeds=range(10, 16)")
    (row,) = run(made_up, "twice", claims=claims)
    assert row.good
    assert not list(made_up.records.glob("*.part"))


def test_another_sentence_needs_no_new_run(made_up):
    run(made_up, "twice")
    claims = made_up.change("Twice is", "Two times is")
    (row,) = run(made_up, "twice", claims=claims)
    assert row.good
    assert len(made_up.ran()) == 6
    assert records.read(claims["twice"], made_up.records)["says"].startswith("Two times")


@pytest.mark.parametrize(
    ("seeds", "message"),
    [
        (range(4), "got 4, expected at least 5"),
        ([0, 1, 2, 3, 3], "different whole numbers"),
        ([-1, 0, 1, 2, 3], "0 or"),
    ],
)
def test_seeds_that_may_not_judge(made_up, seeds, message):
    with pytest.raises(ValueError, match=message):
        run(made_up, "twice", seeds=seeds)


def test_seeds_that_settings_were_chosen_by_may_not_judge(made_up):
    with pytest.raises(ValueError, match=r"got \[2\], by which its settings were chosen"):
        made_up.change("seeds=range(6)", "tuned_on=(2, 77), seeds=range(6)")
    claims = made_up.change("seeds=range(6)", "seeds=range(10, 16)")
    with pytest.raises(ValueError, match=r"got \[77\]"):
        run(made_up, "twice", claims=claims, seeds=range(75, 80))


def test_check_judges_again_and_runs_nothing(made_up):
    run(made_up, "twice")
    claims = list(made_up.claims().values())
    (row,) = measure.check(claims, made_up.records)
    assert row.good
    assert len(made_up.ran()) == 6
    (row,) = measure.check(list(made_up.change("return SCALE * x", "return x").values()), made_up.records)
    assert not row.good


def adopted(made_up, claims, why="another way to write it", **told):
    return measure.adopt([claims["twice"]], why, 1, in_turn, made_up.records, say=lambda text: None, **told)


def test_code_that_computes_the_same_is_adopted_after_one_seed(made_up):
    run(made_up, "twice")
    claims = made_up.change("return SCALE * x", "return x * SCALE")
    (row,) = adopted(made_up, claims)
    assert row.good
    assert made_up.ran()[6:] == [0]
    (note,) = records.read(claims["twice"], made_up.records)["adopted"]
    assert note["why"] == "another way to write it"
    assert note["seed"] == 0
    assert len(note["changed"]) == 1


def test_a_second_run_that_has_nothing_to_measure_keeps_what_was_adopted(made_up):
    run(made_up, "twice")
    claims = made_up.change("return SCALE * x", "return x * SCALE")
    adopted(made_up, claims)
    before = records.read(claims["twice"], made_up.records)
    run(made_up, "twice", claims=claims)
    assert records.read(claims["twice"], made_up.records) == before
    assert before["adopted"]


def test_another_wording_is_adopted_and_the_record_says_so(made_up):
    run(made_up, "twice")
    claims = made_up.change("Twice is <i>more</i>", "Twice of it is <i>more</i>")
    (row,) = adopted(made_up, claims, "said more exactly")
    assert row.good
    assert made_up.ran()[6:] == [0]
    record = records.read(claims["twice"], made_up.records)
    assert record["says"].startswith("Twice of it")
    assert record["adopted"][0]["changed"][-1] == "says"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("return SCALE * x", "return SCALE * x + 1", "seed 0 gives other numbers: twice was 4.0, is 5.0"),
        ("by=0.1", "by=0.15", "rule was"),
        ("more is <better>", "more is better", "quote was"),
    ],
)
def test_other_numbers_and_another_rule_are_not_adopted(made_up, old, new, said):
    run(made_up, "twice")
    before = next(made_up.records.glob("*.json")).read_bytes()
    (row,) = adopted(made_up, made_up.change(old, new))
    assert not row.good
    assert said in " ".join(row.wrong)
    assert next(made_up.records.glob("*.json")).read_bytes() == before


def test_on_another_processor_the_code_of_the_record_is_run_beside(made_up):
    run(made_up, "twice")
    claims = made_up.change("return SCALE * x", "return SCALE * x + 1")  # as if this machine gave other digits
    (unit,) = measure.stale([claims["twice"]], made_up.records)
    before = records.kept(claims["twice"], made_up.records)
    theirs = earlier.Run("abc", before["made_by"], {"twice": 4.0, "once": 2.0})
    (row,) = adopted(made_up, claims, beside={unit: theirs})
    assert "twice was 4.0, is 5.0" in " ".join(row.wrong)
    (row,) = adopted(
        made_up, claims, beside={unit: theirs._replace(made_by={"other.py": "1"}, values={"twice": 5.0, "once": 2.0})}
    )
    assert "made by other code" in " ".join(row.wrong)
    (row,) = adopted(made_up, claims, beside={unit: theirs._replace(values={"twice": 5.0, "once": 2.0})})
    assert row.good
    after = records.read(claims["twice"], made_up.records)
    assert after["adopted"][0]["beside"] == "abc"
    assert after["values"] == before["values"]


def test_a_fresh_record_is_not_adopted_and_a_reason_is_needed(made_up):
    run(made_up, "twice")
    (row,) = adopted(made_up, made_up.claims())
    assert row.good
    assert len(made_up.ran()) == 6
    with pytest.raises(ValueError, match=r"^why: got ' '"):
        adopted(made_up, made_up.claims(), " ")
