"""The sentence and the table of the speeds say what the JSON says."""

from attend_book.site import speed

ROW = {"unit": "GRU", "does": "forward+backward", "B": 64, "T": 100, "H": 128, "fused": True, "threads": 2}
TIMES = {"ours_ms": 45.12, "theirs_ms": 50.0, "ratio": 0.902, "ratio_low": 0.88, "ratio_high": 0.951}
RESULT = {
    "machine": {
        "processor": "Abacus 7",
        "cores": 1,
        "system": "Linux",
        "python": "3.11.2",
        "torch": "2.13.0",
        "vectors": "AVX2",
    },
    "rounds": 9,
    "rows": [ROW | TIMES, ROW | TIMES | {"T": 25}, ROW | TIMES | {"unit": "LSTM", "fused": False}],
}


def test_the_machine_is_named():
    (said,) = speed.machine("recurrent", RESULT)
    assert all(value in said for value in ("Abacus 7", "Linux", "2.13.0", "AVX2", "3.11.2"))


def test_the_table_holds_the_rows_of_the_base_size():
    lines = speed.table("recurrent", RESULT)
    assert sum(line.startswith("* -") for line in lines) == 3  # the head, GRU, and LSTM unfused
    assert lines[2] == ":widths: 4 3"
    assert lines[4:6] == ["* - Unit", "  - 2 threads"]
    assert "* - GRU, forward and backward" in lines
    assert "  - 0.90 (45.1\u00a0:\u00a050)" in lines
    assert "* - LSTM, forward and backward, PyTorch unfused" in lines


def test_each_suite_has_its_own_size_and_head():
    of = {"B": 16, "T": 512, "H": 64}
    lines = speed.table("attention", RESULT | {"rows": [ROW | TIMES, ROW | TIMES | of | {"unit": "by blocks"}]})
    assert [line for line in lines if line.startswith("* -")] == [
        "* - Attention",
        "* - by blocks, forward and backward",
    ]


def test_where_only_the_length_changes_every_length_has_a_line():
    of = {"B": 16, "H": 64, "unit": "greedy", "does": "forward"}
    long = TIMES | {"theirs_ms": 4140.0}
    lines = speed.table("decoding", RESULT | {"rows": [ROW | long | of | {"T": T} for T in (8, 128)]})
    assert "  - 0.90 (45.1\u00a0:\u00a04,140)" in lines
    assert [line for line in lines if line.startswith("* -")] == ["* - Words", "* - 8", "* - 128"]


CARD = {
    "machine": RESULT["machine"] | {"gpu": "Cray 9", "threads": 4},
    "rounds": 9,
    "rows": [
        {"task": "training", "unit": unit, "device": device, "precision": "float32", "T": T, "ms": ms, "MiB": 1.0}
        for unit, device, T, ms in (("GRU", "cuda", 32, 8.06), ("GRU", "cuda", 64, 1234.0), ("GRU", "cpu", 32, 500.0))
    ]
    + [
        {
            "task": "attention",
            "unit": unit,
            "device": "cuda",
            "precision": "float32",
            "T": 512,
            "ms": 2.0,
            "MiB": 1088.2,
        }
        for unit in ("listing", "fused")
    ],
}


def test_the_card_is_named():
    (said,) = speed.card("gpu", CARD)
    assert all(value in said for value in ("Cray 9", "Abacus 7", "2.13.0"))


def test_training_has_a_line_for_each_length_and_says_what_was_not_measured():
    lines = speed.training("gpu", CARD)
    assert lines[4:7] == ["* - Tokens", "  - GRU, card", "  - GRU, 4 threads"]
    assert lines[7:13] == ["* - 32", "  - 8.06", "  - 500", "* - 64", "  - 1,234", "  - not measured"]


def test_attention_tells_time_and_memory():
    lines = speed.attention("gpu", CARD)
    assert lines[4:7] == ["* - Tokens", "  - listing, ms (MiB)", "  - fused, ms (MiB)"]
    assert lines[7:10] == ["* - 512, float32", "  - 2 (1,088)", "  - 2 (1,088)"]
