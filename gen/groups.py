"""groups.py -- rows that belong together: a column of the data file that is no feature but says to which group a row belongs,
a person, a machine or a recording."""
from __future__ import annotations

import csv
import io

from . import data
from .reader import Text


def read(path: str, label: str | None = None, header: str = "auto", zero_based: bool = False, group: str | None = None,
         features: int | None = None) -> tuple[data.Data, list[int] | None]:
    """The data, and for each row the number of its group; None without a column of groups."""
    if group is None:
        return data.read(path, label, header, zero_based, features), None
    text = data.open_text(path)
    if data.format_of(text) != "csv":
        raise text.fail("--group needs a CSV file")
    first = next((line for _, _, line in data.lines(text) if line and not line.startswith(b"#")), b"")
    separator = data.separator_of(first)
    whole = bytes(text.content[text.start:]).decode("utf-8", "replace")
    found, rest, names = [], io.StringIO(), None
    column = None
    for line in whole.splitlines():
        if not line.strip() or line.lstrip().startswith("#"):
            rest.write("\n")
            continue
        fields = line.split() if separator == " " else next(csv.reader([line], delimiter=separator))
        if column is None:
            named = header == "yes" or header == "auto" and (group in fields or data.has_header(fields, label, None, text))
            names = [field.strip() for field in fields] if named else None
            column = data.find_column(group, names, len(fields), text)
            is_header = named
        else:
            is_header = False
        if column < len(fields):
            value = fields.pop(column).strip()
            if not is_header:
                found.append(value)
        csv.writer(rest, delimiter=separator, lineterminator="\n").writerow(fields)
    if label is not None and label.lstrip("-").isdigit() and names is None:
        label = shifted(int(label), column)
    made = Text(text.path, rest.getvalue().encode("utf-8"), line=text.line)
    rows = data.read_csv(made, label, "yes" if names is not None else "no", features)
    order = {value: i for i, value in enumerate(dict.fromkeys(found))}
    return rows, [order[value] for value in found[:rows.n]]


def shifted(label: int, group: int) -> str:
    """The number of the label's column after that of the group, counted from 0, is gone.

    >>> shifted(3, 0), shifted(1, 2), shifted(-1, 2)
    ('2', '1', '-1')
    """
    return str(label - 1 if label > group + 1 else label)
