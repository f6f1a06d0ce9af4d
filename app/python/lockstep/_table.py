"""Tables of the schema lockstep.table/1 (docs/agents.md)."""

import html


class Table:
    """Columns with units and meanings, and rows. Absent cells are None; `document` has everything else that is known."""

    def __init__(self, document, name=None):
        part = document if name in (None, "main") else _named(document, name)
        self.document = document
        self.columns = [column["id"] for column in part["columns"]]
        self.units = {column["id"]: column["unit"] for column in part["columns"]}
        self.meanings = {column["id"]: column["meaning"] for column in part["columns"]}
        self.rows = part["rows"]

    @property
    def notes(self):
        """What was left out, and why there are no rows."""
        return self.document.get("notes", [])

    @property
    def warnings(self):
        """What the trace doctor found that could mislead."""
        return [warning["text"] for warning in self.document.get("warnings", [])]

    @property
    def command(self):
        """The command line that repeats it."""
        return self.document.get("command", "")

    @property
    def tables(self):
        """Names of the further tables of the answer."""
        return list(self.document.get("tables", {}))

    def table(self, name):
        """A further table of the answer."""
        return Table(self.document, name)

    def __len__(self):
        return len(self.rows)

    def __iter__(self):
        """Rows as dictionaries."""
        return (dict(zip(self.columns, row)) for row in self.rows)

    def __getitem__(self, column):
        """The values of a column."""
        if column not in self.units:
            raise KeyError(f"{column}; there are {', '.join(self.columns)}")
        at = self.columns.index(column)
        return [row[at] for row in self.rows]

    def __repr__(self):
        return f"<lockstep.Table {len(self.rows)} x {len(self.columns)}: {', '.join(self.columns)}>"

    def _repr_html_(self):
        most = 50
        head = "".join(f'<th title="{html.escape(self.meanings[c])}">{html.escape(c)}<br><small>'
                       f"{html.escape(self.units[c])}</small></th>" for c in self.columns)
        body = "".join("<tr>" + "".join(f"<td>{'' if cell is None else html.escape(str(cell))}</td>" for cell in row) +
                       "</tr>" for row in self.rows[:most])
        more = f"<p>{len(self.rows) - most} more rows</p>" if len(self.rows) > most else ""
        said = "".join(f"<p>{html.escape(text)}</p>" for text in (*self.warnings, *self.notes))
        return f"{said}<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"

    def to_pandas(self):
        """A DataFrame. Whole numbers stay whole, also beside absent cells (Int64); units and meanings are in `attrs`."""
        import pandas

        frame = pandas.DataFrame(
            {column: pandas.array(self[column], dtype=_pandas_type(self[column])) for column in self.columns})
        frame.attrs.update(units=self.units, meanings=self.meanings, command=self.command, warnings=self.warnings)
        return frame

    def to_arrow(self):
        """A pyarrow.Table; unit and meaning are the metadata of each field."""
        import pyarrow

        arrays = [pyarrow.array(_one_type(self[column])) for column in self.columns]
        fields = [pyarrow.field(column, array.type, metadata={"unit": self.units[column],
                                                             "meaning": self.meanings[column]})
                  for column, array in zip(self.columns, arrays)]
        return pyarrow.Table.from_arrays(arrays, schema=pyarrow.schema(fields))


class Comparison(Table):
    """A table of two runs: per measure m the columns m.baseline, m.candidate, m.change and m.ratio."""

    @property
    def statistics(self):
        """Everything that was tested (docs/statistics.md)."""
        return self.document["statistics"]

    @property
    def sentence(self):
        """What became of the step, and how sure that is."""
        return self.statistics["sentence"]

    @property
    def verdict(self):
        """regressed, improved, same or undecided. With one run a side it is about these captures only."""
        return self.statistics["step"]["verdict"]

    def _repr_html_(self):
        return f"<p><b>{html.escape(self.sentence)}</b></p>" + super()._repr_html_()


def _named(document, name):
    tables = document.get("tables", {})
    if name not in tables:
        raise KeyError(f"{name}; there are {', '.join(['main', *tables])}")
    return tables[name]


def _kinds(values):
    return {type(value) for value in values if value is not None}


def _one_type(values):
    """Rank keys are numbers, or texts for further captures of a rank: then all are texts."""
    kinds = _kinds(values)
    if str in kinds and len(kinds) > 1:
        return [None if value is None else str(value) for value in values]
    return [None if value is None else float(value) for value in values] if kinds == {int, float} else values


def _pandas_type(values):
    kinds = _kinds(values)
    if kinds == {int}:
        return "Int64"
    return "Float64" if kinds and kinds <= {int, float} else "object"
