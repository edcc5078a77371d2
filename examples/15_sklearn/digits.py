# %% [markdown]
# From the digits of scikit-learn to a C header, in cells: run them one by one in an editor that knows `# %%`, or all at once
# with `python3 examples/15_sklearn/digits.py FOLDER`. Pictures and the header go to FOLDER, by default build/sklearn.

# %%
import os
import sys

import matplotlib
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import GridSearchCV, train_test_split

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

try:
    from margin_gen.sklearn import CompactClassifier, MarginSVC
except ImportError:  # not installed: from the repository
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
    from gen.sklearn import CompactClassifier, MarginSVC

FOLDER = sys.argv[1] if len(sys.argv) > 1 else os.path.join("build", "sklearn")
os.makedirs(FOLDER, exist_ok=True)

# %% The data: three of the ten digits, 8 x 8 pixels. Half of the rows are for the end.
X, y = load_digits(n_class=3, return_X_y=True)
X, X_test, y, y_test = train_test_split(X, y, test_size=0.5, random_state=0, stratify=y)

# %% Which options? Any search of scikit-learn does.
search = GridSearchCV(MarginSVC(scale="minmax"), {"C": [0.1, 1.0, 10.0], "gamma": [0.003, 0.01, 0.03]}, cv=4).fit(X, y)
model = search.best_estimator_
print(f"best: {search.best_params_}; error on rows kept for the end: {1 - model.score(X_test, y_test):.3%}")

# %% How clear are the answers? The margin of a row is by how much its own class wins.
values = model.decision_function(X_test)
rows = np.arange(len(y_test))
own = values[rows, y_test].copy()
values[rows, y_test] = -np.inf
margins = own - values.max(axis=1)
plt.figure(figsize=(5, 3))
plt.plot(np.sort(margins), np.linspace(0, 1, len(margins)))
plt.axvline(0, color="grey", lw=0.5)
plt.xlabel("margin")
plt.ylabel("share of rows below")
plt.tight_layout()
plt.savefig(os.path.join(FOLDER, "margins.png"))

# %% What does a byte buy? The error against the bytes of tables, in integers.
frontier = []
for flash in (3000, 4500, 6000, 9000):
    told = model.export_c(os.path.join(FOLDER, "digits.h"), format="q15", flash=flash)
    frontier.append((told["bytes"], told["cost"]["error_after"]))
small = [(vectors, CompactClassifier(vectors, scale="minmax", random_state=0).fit(X, y)) for vectors in (2, 4, 8)]
learned = [(one.export_c(os.path.join(FOLDER, "small.h"), format="q7")["bytes"], 1 - one.score(X_test, y_test))
           for _, one in small]
plt.figure(figsize=(5, 3))
plt.plot(*zip(*learned), "o-", label="learned vectors, q7: rows kept for the end")
plt.plot(*zip(*frontier), "s-", label="SVC, fewer vectors, q15: training rows")
plt.xlabel("bytes of tables")
plt.ylabel("error")
plt.legend()
plt.tight_layout()
plt.savefig(os.path.join(FOLDER, "frontier.png"))
print("SVC within budgets, (bytes, error on training rows):", frontier)
print("learned vectors, (bytes, error):", [(size, round(error, 4)) for size, error in learned])

# %% Where are the regions? Two directions of the data, and the answers along them.
centre = X.mean(axis=0)
plane = np.linalg.svd(X - centre, full_matrices=False)[2][:2]
low, high = ((X - centre) @ plane.T).min(axis=0), ((X - centre) @ plane.T).max(axis=0)
u, v = np.meshgrid(np.linspace(low[0], high[0], 80), np.linspace(low[1], high[1], 80))
answers = model.predict(centre + np.stack([u.ravel(), v.ravel()], axis=1) @ plane).reshape(u.shape)
plt.figure(figsize=(4, 4))
plt.contourf(u, v, answers, levels=[-0.5, 0.5, 1.5, 2.5], alpha=0.3)
plt.scatter(*((X - centre) @ plane.T).T, c=y, s=8)
plt.tight_layout()
plt.savefig(os.path.join(FOLDER, "regions.png"))

# %% To the chip: a header, what it costs there, an image for updates over the air.
told = model.export_c(os.path.join(FOLDER, "digits.h"), format="q15", flash=4500, name="digits")
model.save(os.path.join(FOLDER, "digits.mgn"))
cost = small[-1][1].cost("cortex-m0", "q7")
print(f"digits.h: {told['bytes']} bytes of tables, {told['vectors']} vectors")
print(f"8 learned vectors on a Cortex-M0: {cost.flash} bytes of flash, {cost.memory} of RAM, {cost.cycles} cycles")
