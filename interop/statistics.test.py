"""Compares the statistical tests with scipy and statsmodels, on seeded random inputs."""

import json
import math
import os
import random
import subprocess
import sys
import traceback

import numpy
from scipy.stats import fisher_exact, mannwhitneyu, norm, rankdata
from statsmodels.stats.contingency_tables import StratifiedTable
from statsmodels.stats.multitest import multipletests

INPUTS = 1_000
TOLERANCE = 1e-9


def ours(tests):
    """Runs our tests, one after the other."""
    lines = "".join(json.dumps(test) + "\n" for test in tests)
    done = subprocess.run([os.environ["STATISTICS"]], input=lines, text=True, capture_output=True, timeout=300)
    assert done.returncode == 0, done.stderr
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(answers) == len(tests)
    return answers


def same(tests, expected):
    """Fails unless each of our results is within the tolerance of the expected one; `None` is only equal to itself."""
    worst = 0
    for test, our, their in zip(tests, ours(tests), expected, strict=True):
        assert (our is None) == (their is None), f"{our} rather than {their}: {test}"
        if their is not None:
            difference = float(numpy.max(numpy.abs(numpy.subtract(our, their))))
            assert difference <= TOLERANCE, f"{our} rather than {their}: {test}"
            worst = max(worst, difference)
    # A p-value near 0 or 1 would agree with almost any formula.
    known = [their for their in expected if their is not None]
    telling = sum(bool(numpy.any(numpy.abs(numpy.subtract(their, 0.5)) < 0.499)) for their in known)
    print(f"{len(expected)} results, {telling} from 0.001 to 0.999; the largest difference is {worst:.1e}")
    assert telling > INPUTS / 2


def pair(draw, most):
    """Draws a history and current runs. Most rates differ by little, so that p-values are not 0 or 1."""
    rate = draw.choice([0, 1, draw.random(), draw.random(), 0.95, 0.8])
    pairs = []
    for shift in (0, draw.choice([0, 0, 0, draw.gauss(0, 1)])):
        runs = draw.randint(1, most)
        # About one standard error, for any number of runs.
        shifted = rate + shift * math.sqrt(rate * (1 - rate) / runs)
        pairs.append([sum(draw.random() < shifted for _ in range(runs)), runs])
    return pairs


def sample(draw, size, ties):
    values = [round(draw.lognormvariate(0, 1), 1 if ties else 12) for _ in range(size)]
    assert ties or len(set(values)) == size
    return values


def test_fisher():
    draw = random.Random(1)
    tests = []
    for number in range(INPUTS):
        most = (10, 60, 5_000)[number % 3]
        history, current = pair(draw, most)
        tests.append({"test": "fisher", "history": history, "current": current})
    expected = []
    for test in tests:
        (b, n), (c, m) = test["history"], test["current"]
        expected.append(fisher_exact([[c, m - c], [b, n - b]], alternative="less").pvalue)
    same(tests, expected)


def cochran_mantel_haenszel(strata):
    """Derives the one-sided p-value from the two-sided statistic of statsmodels."""
    tables = [numpy.array([[c, m - c], [b, n - b]], dtype=float) for b, n, c, m in strata]
    missing = sum(m * (b + c) / (n + m) - c for b, n, c, m in strata)
    informative = any(0 < b + c < n + m for b, n, c, m in strata)
    if not informative:
        return None
    # statsmodels lets the continuity correction change the sign.
    if abs(missing) <= 0.5:
        return 0.5
    statistic = StratifiedTable(tables).test_null_odds(correction=True).statistic
    return norm.sf(math.copysign(math.sqrt(statistic), missing))


def test_mantel_haenszel():
    draw = random.Random(2)
    tests = []
    for number in range(INPUTS):
        most = (5, 50, 2_000)[number % 3]
        strata = [sum(pair(draw, most), []) for _ in range(draw.randint(1, 30))]
        tests.append({"test": "mantel_haenszel", "strata": strata})
    same(tests, [cochran_mantel_haenszel(test["strata"]) for test in tests])


def test_benjamini_hochberg():
    draw = random.Random(3)
    tests = []
    for _ in range(INPUTS):
        p = [draw.choice([0, 1, 0.05, draw.random(), draw.random() ** 8]) for _ in range(draw.randint(1, 100))]
        tests.append({"test": "benjamini_hochberg", "p": p})
    same(tests, [multipletests(test["p"], method="fdr_bh")[1] for test in tests])


def test_rank_sum():
    draw = random.Random(4)
    tests = []
    for number in range(INPUTS):
        # Around the size at which scipy changes from the exact distribution to the approximation, and beyond.
        sizes = [draw.randint(1, draw.choice([9, 60])) for _ in range(2)]
        history, current = (sample(draw, size, ties=number % 3 == 0) for size in sizes)
        if number % 2:
            current = [value + draw.random() for value in current]
        tests.append({"test": "rank_sum", "history": history, "current": current})
    expected = [mannwhitneyu(test["current"], test["history"], alternative="greater").pvalue for test in tests]
    same(tests, expected)


def van_elteren(strata):
    """Sums the rank sums with weights 1 / (N + 1); the variance is that of the ranks as they are, with ties."""
    excess = variance = 0
    for stratum in strata:
        n, m = len(stratum["history"]), len(stratum["current"])
        ranks = rankdata(stratum["current"] + stratum["history"])
        weight = 1 / (n + m + 1)
        excess += weight * (ranks[:m].sum() - m * ranks.mean())
        variance += weight**2 * n * m / (n + m) * ranks.var(ddof=1)
    return norm.sf(excess / math.sqrt(variance)) if variance > 0 else None


def test_stratified_rank_sum():
    draw = random.Random(5)
    tests = []
    for number in range(INPUTS):
        strata = []
        for _ in range(draw.randint(1, 20)):
            sizes = [draw.randint(1, 20) for _ in range(2)]
            history, current = (sample(draw, size, ties=number % 2 == 0) for size in sizes)
            strata.append({"history": history, "current": current})
        tests.append({"test": "stratified_rank_sum", "strata": strata})
    same(tests, [van_elteren(test["strata"]) for test in tests])


if __name__ == "__main__":
    passed = failed = 0
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            try:
                test()
                passed += 1
                print(f"ok {name}")
            except Exception:  # noqa: BLE001 - a test may fail in any way
                failed += 1
                print(f"FAILED {name}")
                traceback.print_exc()
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)
