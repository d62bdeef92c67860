import json

import pytest
import torch

from attend.recipes import what_matters
from attend.recipes.what_matters import (
    BASE,
    EVERY,
    ROWS,
    SEEDS,
    asked,
    begun,
    judge,
    measured,
    recipe,
    verdict,
    weights,
)
from attend.soft.decode import greedy
from attend.tasks import numbers, pairs


def seeds(name):
    return SEEDS.get(name, SEEDS["base"][:3])


def test_each_row_changes_what_it_says_and_nothing_else():
    base = recipe("base", 2)
    assert (base.seed, base.fall, base.most) == (2, "zero", 175)
    for name, row in ROWS.items():
        made = recipe(name, 2)
        assert {key: getattr(made, key) for key in BASE} == BASE | row.changed
        assert all(BASE[key] != value for key, value in row.changed.items())
    assert len({tuple(sorted(row.changed.items())) for row in ROWS.values()}) == len(ROWS)
    with pytest.raises(ValueError, match=r"name: got 'no luck'"):
        recipe("no luck")


def test_heads_cost_no_weights_and_the_paper_s_rows_stand_where_it_prints_them():
    assert {weights(name) for name in ("base", "1 head", "2 heads", "8 heads", "16 heads")} == {239_774}
    assert weights("keys of 2") < weights("keys of 4") < weights("keys of 8") < weights("base")
    assert ROWS["1 head"].paper[1:] == (5.29, 24.9)
    assert ROWS["no smoothing"].paper[1:] == (4.67, 25.3)
    assert {row.letter for row in ROWS.values() if row.paper} == {"base", "A", "B", "C", "D", "E"}


def test_a_verdict_needs_more_than_the_spread_of_the_base():
    base = [1.0, 2.0, 3.0]
    assert verdict([3.0, 4.0, 5.0], base) == "as the base"
    assert verdict([3.0, 4.0, 5.1], base) == "worse"
    assert verdict([-0.1, -0.1], base) == "better"


def test_no_number_is_asked_that_was_taught():
    taught = set(numbers.numbers("train", 9, BASE["most"]))
    assert len(taught) == 1_494
    for part, many in (("validation", 406), ("test", 1_510)):
        of = numbers.numbers(part, 9, what_matters.MOST[part])
        assert len(of) == len(asked(part).source) == many
        assert not taught & set(of)


def test_one_pass_counts_what_greedy_writing_gets_right():
    model = recipe("base").build().eval()
    with torch.no_grad():
        model.output.bias[0] += 1.0  # so that some of its answers come to an end
    of = pairs.Pairs(*(column[:40] for column in asked("validation")))
    written = greedy(model, of.source, of.mask, of.target.shape[1]).tokens
    ends = written == model.end
    to_the_end = ends.cumsum(1) - ends.int() == 0
    wanted = written.clone()
    wanted[:10, 0] = (wanted[:10, 0] + 1) % 20
    right = pairs.exact(written, wanted, to_the_end).double().mean().item()
    assert right == 0.75
    assert judge(model, of._replace(target=wanted, asked=to_the_end))["exact"] == right


def test_the_record_is_complete():
    found = measured()
    assert set(found) == set(ROWS)
    for name, rows in found.items():
        assert set(rows) == {str(seed) for seed in seeds(name)}
        for row in rows.values():
            assert 0 <= row["exact"] <= 1 < row["perplexity"]
            assert row["seconds"] > 0
            assert all(len(curve) == BASE["steps"] // EVERY for curve in row["validation"].values())
    assert all(
        row["weights"] == weights(name) for name, row in json.loads(what_matters.path().read_text())["rows"].items()
    )


@pytest.mark.nightly
@pytest.mark.parametrize(("name", "seed"), [("base", 0), ("half the width", 2)])
def test_a_recorded_run_can_be_made_again(name, seed):
    again, record = begun(name, seed, 2 * EVERY), measured()[name][str(seed)]["validation"]
    assert again.exact == pytest.approx(record["exact"][:2], abs=0.02)
    assert again.perplexity == pytest.approx(record["perplexity"][:2], rel=0.02)


@pytest.mark.nightly
def test_a_run_is_repeatable_and_resumes(monkeypatch, tmp_path):
    few = {"steps": 3, "warm": 1, "digits": 3}
    monkeypatch.setattr(what_matters, "BASE", BASE | few)
    monkeypatch.setattr(what_matters, "ROWS", {name: ROWS[name] for name in ("base", "no positions")})
    monkeypatch.setattr(what_matters, "SEEDS", {"base": (0, 1, 2)})
    monkeypatch.setattr(what_matters, "EVERY", 2)
    monkeypatch.setattr(what_matters, "path", lambda: tmp_path / "what_matters.json")
    what_matters.asked.cache_clear()
    what_matters.export()
    whole = measured()
    assert list(whole) == ["base", "no positions"]
    assert all(set(rows) == {"0", "1", "2"} for rows in whole.values())
    kept = json.loads(what_matters.path().read_text())
    lost = kept["rows"]["base"]["seeds"].pop("1")
    what_matters.path().write_text(json.dumps(kept))
    what_matters.export()
    again = measured()["base"]["1"]
    assert {**again, "seconds": 0} == {**lost, "seconds": 0}
    assert measured()["no positions"] == whole["no positions"]
    monkeypatch.setattr(what_matters, "BASE", BASE | few | {"rate": 1e-3})
    assert measured() == {}
    what_matters.asked.cache_clear()
