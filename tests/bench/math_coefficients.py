#!/usr/bin/env python3
"""Derives the polynomial coefficients of the >>math section of margin_impl.h. Needs mpmath.

Every polynomial is a weighted minimax fit by Remez exchange in 60 digits. The coefficients are
rounded to the working precision one after the other, the most sensitive first, and the rest is
fitted again after each rounding, so that rounding costs almost no accuracy. The number printed
beside each table is the worst weighted error as a power of two.

    python3 tests/bench/math_coefficients.py [name ...]
"""
import sys

from mpmath import atanh, erf, erfc, exp, expm1, inf, log, lu_solve, matrix, mp, mpf, quad, sqrt

mp.dps = 60


def extrema(err, lo, hi, count, cells):
    """Where err(x) is largest in size, once in each stretch of equal sign; the `count` best."""
    xs = [lo + (hi - lo) * (1 - mp.cos(mp.pi * i / cells)) / 2 for i in range(cells + 1)]
    es = [err(x) for x in xs]
    best = []
    for x, e in zip(xs, es):
        if best and (e > 0) == (best[-1][1] > 0):
            if abs(e) > abs(best[-1][1]):
                best[-1] = (x, e)
        else:
            best.append((x, e))
    while len(best) > count:
        best.pop(0 if abs(best[0][1]) < abs(best[-1][1]) else -1)
    return best


def remez(f, basis, weight, lo, hi, rounds=30):
    """Minimises max |weight (f - sum c_j basis_j)| on [lo, hi]; returns the c and that error."""
    n = len(basis)
    best = None
    # Chebyshev nodes, shifted a little off the middle, where some of the weights vanish.
    xs = [lo + (hi - lo) * (1 - mp.cos(mp.pi * (2 * i + mpf("1.03")) / (2 * n + 2))) / 2 for i in range(n + 1)]
    for _ in range(rounds):
        a = matrix(n + 1, n + 1)
        b = matrix(n + 1, 1)
        for i, x in enumerate(xs):
            for j in range(n):
                a[i, j] = weight(x) * basis[j](x)
            a[i, n] = (-1) ** i
            b[i] = weight(x) * f(x)
        c = lu_solve(a, b)
        level = abs(c[n])
        err = lambda x: weight(x) * (f(x) - sum(c[j] * basis[j](x) for j in range(n)))
        peaks = extrema(err, lo, hi, n + 1, 24 * (n + 1))
        worst = max(abs(e) for _, e in peaks)
        if best is None or worst < best[1]:
            best = ([c[j] for j in range(n)], worst)
        if len(peaks) < n + 1 or worst < level * mpf("1.002"):
            break
        xs = [x for x, _ in peaks]
    return best


def lawson(f, basis, weight, lo, hi, rounds=12):
    """As remez, by Lawson's reweighted least squares: slower to converge, but it does not need the
    alternation theorem, which fails once a low coefficient is fixed and 0 lies inside [lo, hi]."""
    n = len(basis)
    m = 8 * n + 8
    xs = [lo + (hi - lo) * (1 - mp.cos(mp.pi * (2 * i + 1) / (2 * m))) / 2 for i in range(m)]
    rows = [[weight(x) * b(x) for b in basis] for x in xs]
    rhs = [weight(x) * f(x) for x in xs]
    w = [mpf(1) / m] * m
    best = None
    for _ in range(rounds):
        a = matrix(n, n)
        b = matrix(n, 1)
        for i in range(m):
            for j in range(n):
                wr = w[i] * rows[i][j]
                b[j] += wr * rhs[i]
                for k in range(n):
                    a[j, k] += wr * rows[i][k]
        c = lu_solve(a, b)
        errs = [abs(rhs[i] - sum(c[j] * rows[i][j] for j in range(n))) for i in range(m)]
        if best is None or max(errs) < best[1]:
            best = ([c[j] for j in range(n)], max(errs))
        total = sum(wi * e for wi, e in zip(w, errs))
        if total == 0:
            break
        w = [wi * e / total for wi, e in zip(w, errs)]
    return best


def round_to(value, bits):
    """value rounded to a binary number of `bits` bits, ties to even."""
    if value == 0:
        return mpf(0)
    e = mp.floor(mp.log(abs(value), 2)) - (bits - 1)
    return mpf(mp.nint(value / mpf(2) ** e)) * mpf(2) ** e


def remember(f):
    known = {}
    def g(x):
        if x not in known:
            known[x] = f(x)
        return known[x]
    return g


def fit(f, powers, weight, lo, hi, bits):
    """Minimax in sum c_j x^powers[j], rounding the c in the given order."""
    lo, hi = mpf(lo), mpf(hi)
    basis = [(lambda p: lambda x: x**p)(p) for p in powers]
    # Basis functions and weights are dear; the fits ask for them at the same points again and again.
    f, weight = remember(f), remember(weight)
    fixed = []
    while len(fixed) < len(powers):
        k = len(fixed)
        rest = lambda x: f(x) - sum(fixed[j] * basis[j](x) for j in range(k))
        c, worst = (lawson if lo < 0 or k else remez)(rest, basis[k:], weight, lo, hi)
        if k == 0:
            ideal = worst
        fixed.append(round_to(c[0], bits))
    err = lambda x: weight(x) * (f(x) - sum(c * b(x) for c, b in zip(fixed, basis)))
    cells = 600
    worst = max(abs(err(lo + (hi - lo) * i / cells)) for i in range(cells + 1))
    return fixed, worst, ideal


def c_hex(v, bits):
    return float(v).hex() if bits == 53 else "%.9gf" % float(v)


def show(name, fixed, worst, ideal, bits):
    print("%s, %d bits: 2^%.2f (unrounded 2^%.2f)" % (name, bits, mp.log(worst, 2), mp.log(ideal, 2)))
    for c in fixed:
        print("    %s" % mp.nstr(c, 9 if bits == 24 else 17, min_fixed=-4, max_fixed=4))


def exp_poly(bits):
    """exp(r) = 1 + r + r^2/2 + r^3 P(r), relative error, |r| <= ln 2 / 2 and a little more."""
    def f(r):
        return (expm1(r) - r - r * r / 2) / r**3 if abs(r) > mpf(10) ** -12 else mpf(1) / 6 + r / 24
    edge = log(2) / 2 * mpf("1.002")
    show("exp", *fit(f, range(4 if bits == 24 else 9), lambda r: r**3 / exp(r), -edge, edge, bits), bits)


def log_poly(bits):
    """2 atanh(s) = 2 s + s z Q(z), z = s^2, relative error, s <= (sqrt 2 - 1)/(sqrt 2 + 1)."""
    def f(z):
        s = sqrt(z)
        return (2 * atanh(s) / s - 2) / z if z > mpf(10) ** -20 else mpf(2) / 3
    s = (sqrt(2) - 1) / (sqrt(2) + 1)
    show("log", *fit(f, range(3 if bits == 24 else 7), lambda z: z / 2, 0, s * s * mpf("1.001"), bits), bits)


def pow_poly(bits):
    """2 atanh(s) = 2 s + s z (2/3 + z Q(z)), z = s^2: as for log, to the precision that pow needs."""
    def f(z):
        s = sqrt(z)
        return ((2 * atanh(s) / s - 2) / z - mpf(2) / 3) / z if z > mpf(10) ** -12 else mpf(2) / 5
    s = (sqrt(2) - 1) / (sqrt(2) + 1)
    show("pow", *fit(f, range(3 if bits == 24 else 7), lambda z: z * z / 2, 0, s * s * mpf("1.001"), bits), bits)


def erf_poly(bits):
    """erf(x) = x + x P(x^2) for |x| <= 1, relative error."""
    def f(z):
        x = sqrt(z)
        return erf(x) / x - 1 if z > 0 else 2 / sqrt(mp.pi) - 1
    show("erf", *fit(f, range(7 if bits == 24 else 12), lambda z: 1 / (1 + f(z)), 0, 1, bits), bits)


def erfcx_poly(bits):
    """exp(x^2) erfc(x) = P(t) / (1 + x) with t = (x - K) / (x + K), relative error, from 1/2 to
    where erfc and the normal distribution underflow."""
    # K is about 2 and 3, and such that P(0) = (1 + K) exp(K^2) erfc(K) nearly needs no rounding.
    k, top = (mpf("1.96875"), mpf("10.3")) if bits == 24 else (mpf("3.140625"), mpf("27.4"))
    low = mpf("0.49")
    def f(t):
        x = k * (1 + t) / (1 - t)
        return (1 + x) * exp(x * x) * erfc(x)
    show("erfcx", *fit(f, range(9 if bits == 24 else 22), lambda t: 1 / f(t),
                       (low - k) / (low + k), (top - k) / (top + k), bits), bits)


def main():
    jobs = {"exp": exp_poly, "log": log_poly, "pow": pow_poly, "erf": erf_poly, "erfcx": erfcx_poly}
    for name in sys.argv[1:] or jobs:
        for bits in (24, 53):
            jobs[name](bits)


if __name__ == "__main__":
    main()
