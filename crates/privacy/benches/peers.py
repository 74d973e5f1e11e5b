"""Seconds per draw of two peers, one `name<TAB>seconds` line each. Called by the bench `draws`."""
import sys
import time

dim = int(sys.argv[1])


def seconds(work, times):
    work()
    start = time.perf_counter()
    for _ in range(times):
        work()
    return (time.perf_counter() - start) / times


try:
    import numpy as np
    from scipy.stats import vonmises_fisher

    centre = np.ones(dim) / np.sqrt(dim)
    rng = np.random.default_rng(1)
    print("scipy vonmises_fisher.rvs", seconds(lambda: vonmises_fisher.rvs(centre, 100, random_state=rng), 20), sep="\t")
except ImportError:
    print("scipy is not installed")

try:
    import opendp.prelude as dp

    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T=float, nan=False)), dp.l1_distance(T=float)
    laplace = dp.m.make_laplace(*space, scale=1.0)
    row = [0.5] * dim
    print("opendp vector Laplace", seconds(lambda: laplace(row), 20), sep="\t")
except ImportError:
    print("opendp is not installed")
