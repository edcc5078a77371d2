"""from_pickle.py -- model files of other programs: which kind, and, when asked for in so many words, pickles."""
from __future__ import annotations

from . import exchange, from_libsvm, from_sklearn
from .errors import Failure, file_failure
from .output import say


def bytes_of(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise file_failure(error, path) from None


def text_of(path: str) -> str:
    try:
        return bytes_of(path).decode("utf-8")
    except UnicodeDecodeError:
        raise Failure("not a text file", path) from None


def unpickle(path: str):
    """Loads an estimator, by joblib if that is there, else by pickle. Both run code that the file brings along."""
    say(f"note: {path} is a pickle: loading it runs code of whoever made it")
    try:
        try:
            import joblib
            return joblib.load(path)
        except ImportError:
            import pickle
            with open(path, "rb") as file:
                return pickle.load(file)
    except ImportError as error:
        raise Failure(f"cannot load the estimator: {error}; run gen by the Python that has it", path) from None
    except Exception as error:  # whatever the code of a pickle raises
        raise Failure(f"cannot load the estimator: {type(error).__name__}: {error}", path) from None


def convert(estimator) -> exchange.Classifier:
    """An estimator of a pickle may be of any class, and its attributes may be anything."""
    try:
        return from_sklearn.convert(estimator)
    except (ArithmeticError, AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        raise Failure(f"not an estimator that can be imported: {type(error).__name__}: {error}") from None


def read(path: str, origin: str | None, features: int | None) -> exchange.Classifier:
    """LIBSVM's text and gen's JSON are known by how they start; a pickle must be asked for by `--from sklearn`."""
    start = bytes_of(path)[:512].lstrip()
    try:
        if origin == "libsvm" or origin is None and start.startswith(b"svm_type"):
            return from_libsvm.read_model(text_of(path), path, features)
        if start.startswith(b"{"):
            return exchange.from_json(text_of(path))
        if origin == "sklearn":
            return convert(unpickle(path))
    except Failure as error:
        raise error if error.path else Failure(error.message, path) from None
    raise Failure("neither a LIBSVM model nor JSON of from_sklearn.save_json; for a pickle say --from sklearn", path)
