"""Computes bessel.tsv with 50 digits: python3 bessel.py > bessel.tsv (needs mpmath)."""
from mpmath import mp, mpf, besseli, log, pi, nstr, hyp0f1, loggamma

mp.dps = 50
print("# dimension\tkappa\tA_d(kappa)\tlog C_d(kappa)")
for d in (2, 3, 4, 5, 7, 10, 16, 31, 64, 83, 100, 129, 256, 384, 511, 768, 1024, 1536, 2048, 3072, 4096):
    nu = mpf(d) / 2 - 1
    for text in ("1e-3", "1e-2", "0.1", "0.5", "1", "2", "5", "10", "19.9", "20.1", "50", "80.5", "150", "400",
                 "766.5", "1e3", "3e3", "1e4", "1e5", "1e6"):
        x = mpf(text)
        mp.dps = 80
        a, b = besseli(nu + 1, x), besseli(nu, x)
        ratio = a / b
        normaliser = nu * log(x) - (nu + 1) * log(2 * pi) - log(b)
        mp.dps = 50
        print(d, text, nstr(ratio, 25), nstr(normaliser, 25), sep="\t")
