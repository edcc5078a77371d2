"""translate.py -- the modules of gen that write a header, as JavaScript: the playground makes its text with the same source,
so the two cannot drift apart. It knows the Python that these modules are written in and refuses everything else by line.

Values: int and str are JavaScript's own; float is `Real` (python.js) where the difference matters; a list or tuple is an
array, a dict a Map. What Python does in its own way (truth, equality, indices from the end, %g) is in python.js, as `py`.
"""
from __future__ import annotations

import ast
import json
from pathlib import Path


class Refused(Exception):
    """Python that the translator does not know."""


# Methods that are properties in Python, by name; attributes that are data are fields in JavaScript, too.
BUILTINS = {"len", "range", "enumerate", "zip", "map", "sorted", "sum", "max", "min", "abs", "str", "int", "float", "list",
            "tuple", "dict", "set", "isinstance", "next", "any", "all", "chr", "frozenset", "round", "bool", "repr",
            "ValueError", "Failure", "array", "filter", "reversed", "bin"}
RESERVED = {"function", "true", "false", "null", "undefined", "catch",
            "new", "delete", "var", "let", "const", "default", "this", "typeof", "void", "switch", "case", "do",
            "enum", "export", "extends", "import", "package", "private", "public", "static", "super", "arguments", "eval"}


def name_of(name: str) -> str:
    return f"{name}_" if name in RESERVED else name


class Translator:
    """One module. `signatures` has the parameters of everything translated so far, for calls by keyword."""

    def __init__(self, module: str, source: str, wanted: set[str] | None, signatures: dict[str, list[str]]):
        self.module, self.tree, self.wanted, self.signatures = module, ast.parse(source), wanted, signatures
        self.known: list[str] = []

    def fail(self, node: ast.AST, what: str = "") -> Refused:
        return Refused(f"gen/{self.module}.py:{getattr(node, 'lineno', '?')}: {what or type(node).__name__} has no translation")

    # ---- the module ----

    def translate(self) -> str:
        parts = []
        for node in self.tree.body:
            parts += self.top(node)
        names = ", ".join(self.known)
        inside = "\n".join([*parts, f"return {{ {names} }};"])
        return f"M.{self.module} = Object.assign(M.{self.module} || {{}}, (() => {{\n{inside}\n}})());\n"

    def take(self, name: str) -> bool:
        if self.wanted is not None and name not in self.wanted:
            return False
        self.known.append(name_of(name))
        return True

    def top(self, node: ast.stmt) -> list[str]:
        if isinstance(node, ast.ImportFrom) and node.level == 1:
            from_ = (lambda n: f"M.{n}") if node.module is None else (lambda n: f"(M.{node.module} || {{}}).{name_of(n)}")
            return [f"const {name_of(a.asname or a.name)} = {from_(a.name)};" for a in node.names]
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            return []
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            return []
        if isinstance(node, ast.FunctionDef):
            return [self.function(node)] if self.take(node.name) else []
        if isinstance(node, ast.ClassDef):
            return [self.dataclass(node)] if self.take(node.name) else []
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
            return [f"const {name_of(name)} = {self.expr(node.value)};"] if self.take(name) else []
        if self.wanted is not None:
            return []
        raise self.fail(node)

    def list_class(self, node: ast.ClassDef) -> str:
        """A list with attributes of its own: only __init__, which begins with that of list."""
        init = [part for part in node.body if not isinstance(part, ast.Expr)]
        if len(init) != 1 or getattr(init[0], "name", "") != "__init__" or ast.unparse(init[0].body[0]) != "super().__init__()":
            raise self.fail(node, "a subclass of list with more than __init__")
        names = [a.arg for a in init[0].args.args]
        self.signatures[node.name] = names[1:]
        body = self.block(init[0].body[1:])
        return (f"class {node.name}$ extends Array {{ static get [Symbol.species]() {{ return Array; }}\n"
                f"constructor({', '.join(map(name_of, names[1:]))}) {{ super(); const {names[0]} = this;\n{body} }} }}\n"
                f"const {node.name} = (...a) => new {node.name}$(...a);\n{node.name}.$class = {node.name}$;")

    def dataclass(self, node: ast.ClassDef) -> str:
        if [ast.unparse(base) for base in node.bases] == ["list"]:
            return self.list_class(node)
        if node.bases:
            raise self.fail(node, "a base class")
        fields, methods = [], []
        for part in node.body:
            if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name):
                value = part.value
                if isinstance(value, ast.Call) and getattr(value.func, "id", "") == "field":
                    how = value.keywords[0]
                    value = f"{self.expr(how.value)}()" if how.arg == "default_factory" else self.expr(how.value)
                else:
                    value = self.expr(value) if value is not None else None
                fields.append((part.target.id, value))
            elif isinstance(part, ast.FunctionDef):
                kind = "get " if any(getattr(d, "id", "") == "property" for d in part.decorator_list) else ""
                methods.append(kind + self.function(part, method=True))
            elif not isinstance(part, ast.Expr):
                raise self.fail(part)
        self.signatures[node.name] = [name for name, _ in fields]
        parameters = ", ".join(f"{name_of(n)}" + (f" = {v}" if v is not None else "") for n, v in fields)
        body = " ".join(f"this.{n} = {name_of(n)};" for n, _ in fields)
        return (f"class {node.name}$ {{ constructor({parameters}) {{ {body} }}\n" + "\n".join(methods)
                + f"\n}}\nconst {node.name} = (...a) => new {node.name}$(...a);\n{node.name}.$class = {node.name}$;")

    def function(self, node: ast.FunctionDef, method: bool = False) -> str:
        arguments = node.args
        if arguments.kwonlyargs or arguments.kwarg or arguments.vararg:
            raise self.fail(node, "keyword-only or variable parameters")
        names = [a.arg for a in arguments.args]
        self_ = names[0] if method else None
        names = names[1:] if method else names
        self.signatures[node.name] = names
        defaults = [None] * (len(names) - len(arguments.defaults)) + [self.expr(d) for d in arguments.defaults]
        parameters = ", ".join(name_of(n) + (f" = {d}" if d is not None else "") for n, d in zip(names, defaults))
        local = sorted(assigned(node.body) - set(names))
        start = (f"let {', '.join(map(name_of, local))};\n" if local else "") + (f"const {self_} = this;\n" if self_ else "")
        head = f"{name_of(node.name)}({parameters})" if method else f"function {name_of(node.name)}({parameters})"
        return f"{head} {{\n{start}{self.block(node.body)}\n}}"

    # ---- statements ----

    def block(self, body: list[ast.stmt]) -> str:
        return "\n".join(text for text in map(self.statement, body) if text)

    def statement(self, node: ast.stmt) -> str:
        method = getattr(self, f"do_{type(node).__name__}", None)
        if method is None:
            raise self.fail(node)
        return method(node)

    def do_Expr(self, node):
        return "" if isinstance(node.value, ast.Constant) else f"{self.expr(node.value)};"

    def do_Return(self, node):
        return f"return {self.expr(node.value)};" if node.value else "return null;"

    def do_Assign(self, node):
        value = self.expr(node.value)
        return "\n".join(self.assign(target, value) for target in node.targets)

    def do_AnnAssign(self, node):
        return self.assign(node.target, self.expr(node.value)) if node.value else ""

    def do_AugAssign(self, node):
        return self.assign(node.target, self.binary(node.op, self.expr(node.target), self.expr(node.value), node))

    def do_If(self, node):
        other = f" else {{\n{self.block(node.orelse)}\n}}" if node.orelse else ""
        return f"if ({self.truth(node.test)}) {{\n{self.block(node.body)}\n}}{other}"

    def do_For(self, node):
        if node.orelse:
            raise self.fail(node, "for .. else")
        return f"for (const $i of py.iter({self.expr(node.iter)})) {{\n{self.assign(node.target, '$i')}\n{self.block(node.body)}\n}}"

    def do_Continue(self, node):
        return "continue;"

    def do_Raise(self, node):
        return f"throw {self.expr(node.exc)};"

    def do_Try(self, node):
        """Failures alone are caught."""
        handler = node.handlers[0]
        if len(node.handlers) != 1 or getattr(handler.type, "id", "") != "Failure" or node.orelse or node.finalbody:
            raise self.fail(node, "try with more than one except Failure")
        name = f"{name_of(handler.name)} = $e;\n" if handler.name else ""
        return (f"try {{\n{self.block(node.body)}\n}} catch ($e) {{\nif (!$e.failure) throw $e;\n{name}"
                f"{self.block(handler.body)}\n}}")

    def assign(self, target: ast.expr, value: str) -> str:
        if isinstance(target, ast.Tuple):
            stars = [i for i, part in enumerate(target.elts) if isinstance(part, ast.Starred)]
            if stars:  # JavaScript wants the rest at the end
                value = f"py.spread({value}, {stars[0]}, {len(target.elts) - stars[0] - 1})"
            return f"{self.pattern(target)} = py.iter({value});"
        if isinstance(target, ast.Subscript):
            return f"py.set({self.expr(target.value)}, {self.expr(target.slice)}, {value});"
        if isinstance(target, (ast.Name, ast.Attribute)):
            return f"{self.expr(target)} = {value};"
        raise self.fail(target)

    def pattern(self, target: ast.expr) -> str:
        """The left side of an assignment to several names; a semicolon keeps it apart from the line before."""
        return ";" + self.shape(target)

    def shape(self, target: ast.expr) -> str:
        if isinstance(target, ast.Tuple):
            return f"[{', '.join(map(self.shape, target.elts))}]"
        if isinstance(target, ast.Starred):
            return self.shape(target.value)
        return self.expr(target)

    # ---- expressions ----

    def expr(self, node: ast.expr) -> str:
        method = getattr(self, f"ex_{type(node).__name__}", None)
        if method is None:
            raise self.fail(node)
        return method(node)

    def truth(self, node: ast.expr) -> str:
        text = self.expr(node)
        return text if isinstance(node, ast.Compare) and len(node.ops) == 1 else f"py.truth({text})"

    def ex_Constant(self, node):
        value = node.value
        if value is None or isinstance(value, bool):
            return {None: "null", True: "true", False: "false"}[value]
        if isinstance(value, float):
            return f"py.real({value!r})" if value == value and abs(value) != float("inf") else self.bad(node)
        if isinstance(value, (int, str)):
            return json.dumps(value)
        raise self.fail(node)

    def bad(self, node):
        raise self.fail(node)

    def ex_Name(self, node):
        return f"py.{node.id}{'_' * (node.id == 'set')}" if node.id in BUILTINS else name_of(node.id)

    def ex_Attribute(self, node):
        return f"{self.expr(node.value)}.{node.attr}"

    def ex_Subscript(self, node):
        if isinstance(node.slice, ast.Slice):
            ends = ", ".join(self.expr(e) if e else "null" for e in (node.slice.lower, node.slice.upper, node.slice.step))
            return f"py.slice({self.expr(node.value)}, {ends})"
        return f"py.get({self.expr(node.value)}, {self.expr(node.slice)})"

    def ex_List(self, node):
        return f"[{', '.join(map(self.item, node.elts))}]"

    ex_Tuple = ex_List

    def ex_Set(self, node):
        return f"new Set([{', '.join(map(self.item, node.elts))}])"

    def item(self, node):
        return f"...py.iter({self.expr(node.value)})" if isinstance(node, ast.Starred) else self.expr(node)

    def ex_Dict(self, node):
        pairs = [f"...py.iter(py.items({self.expr(v)}))" if k is None else f"[{self.expr(k)}, {self.expr(v)}]"
                 for k, v in zip(node.keys, node.values)]
        return f"new Map([{', '.join(pairs)}])"

    def ex_IfExp(self, node):
        return f"({self.truth(node.test)} ? {self.expr(node.body)} : {self.expr(node.orelse)})"

    def ex_BoolOp(self, node):
        parts = [self.expr(v) for v in node.values]
        text = parts[-1]
        for part in reversed(parts[:-1]):
            text = f"py.{'and' if isinstance(node.op, ast.And) else 'or'}({part}, () => {text})"
        return text

    def ex_UnaryOp(self, node):
        if isinstance(node.op, ast.Not):
            return f"!{self.truth(node.operand)}" if not isinstance(node.operand, ast.Compare) else f"!({self.expr(node.operand)})"
        if isinstance(node.op, ast.Invert):
            return f"(~{self.expr(node.operand)})"
        if isinstance(node.op, ast.USub):
            return f"py.minus({self.expr(node.operand)})"
        raise self.fail(node)

    def ex_BinOp(self, node):
        return self.binary(node.op, self.expr(node.left), self.expr(node.right), node)

    def binary(self, op, left, right, node):
        names = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div", ast.FloorDiv: "floordiv", ast.Mod: "mod",
                 ast.Pow: "pow", ast.BitOr: "bitor", ast.BitAnd: "bitand", ast.LShift: "lshift", ast.RShift: "rshift"}
        if type(op) not in names:
            raise self.fail(node)
        return f"py.{names[type(op)]}({left}, {right})"

    def ex_Compare(self, node):
        values = [node.left, *node.comparators]
        parts = [self.compare(op, self.expr(a), self.expr(b), node) for op, a, b in zip(node.ops, values, values[1:])]
        return parts[0] if len(parts) == 1 else f"({' && '.join(parts)})"

    def compare(self, op, a, b, node):
        plain = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}
        if type(op) in plain:
            return f"({a} {plain[type(op)]} {b})"
        known = {ast.Eq: f"py.eq({a}, {b})", ast.NotEq: f"!py.eq({a}, {b})", ast.In: f"py.has({b}, {a})",
                 ast.NotIn: f"!py.has({b}, {a})", ast.Is: f"py.is({a}, {b})", ast.IsNot: f"!py.is({a}, {b})"}
        if type(op) not in known:
            raise self.fail(node)
        return known[type(op)]

    def ex_Lambda(self, node):
        return f"(({', '.join(name_of(a.arg) for a in node.args.args)}) => {self.expr(node.body)})"

    def loops(self, node, inner: str) -> str:
        """The loops of a comprehension round what is done with each item."""
        for clause in reversed(node.generators):
            tests = "".join(f"if (!({self.truth(test)})) continue;\n" for test in clause.ifs)
            inner = f"for (const {self.shape(clause.target)} of py.iter({self.expr(clause.iter)})) {{\n{tests}{inner}\n}}"
        return inner

    def ex_ListComp(self, node):
        return f"(() => {{ const $o = [];\n{self.loops(node, f'$o.push({self.expr(node.elt)});')}\nreturn $o; }})()"

    ex_GeneratorExp = ex_ListComp

    def ex_SetComp(self, node):
        return f"new Set({self.ex_ListComp(node)})"

    def ex_DictComp(self, node):
        inner = f"$o.set({self.expr(node.key)}, {self.expr(node.value)});"
        return f"(() => {{ const $o = new Map();\n{self.loops(node, inner)}\nreturn $o; }})()"

    def ex_JoinedStr(self, node):
        parts = [json.dumps(v.value) if isinstance(v, ast.Constant) else self.expr(v) for v in node.values]
        return f"[{', '.join(parts)}].join('')" if parts else "''"

    def ex_FormattedValue(self, node):
        spec = self.expr(node.format_spec) if node.format_spec else "''"
        if node.conversion == 114:
            return f"py.repr({self.expr(node.value)})"
        return f"py.format({self.expr(node.value)}, {spec})"

    def ex_Call(self, node):
        arguments = [self.item(a) for a in node.args]
        if isinstance(node.func, ast.Attribute):
            base = node.func.value
            if isinstance(base, ast.Name) and base.id in ("re", "textwrap"):
                return f"py.{base.id}_{node.func.attr}({', '.join([*arguments, *self.keywords(node)])})"
            arguments += self.by_position(node, node.func.attr)
            return f"py.call({self.expr(base)}, {json.dumps(node.func.attr)}, {', '.join(arguments)})"
        name = getattr(node.func, "id", None)
        if name in BUILTINS:
            return f"{self.expr(node.func)}({', '.join([*arguments, *self.keywords(node)])})"
        return f"{self.expr(node.func)}({', '.join(arguments + self.by_position(node, name))})"

    def keywords(self, node) -> list[str]:
        """Keywords of what python.js has: an object at the end."""
        if any(k.arg is None for k in node.keywords):
            raise self.fail(node, "**")
        pairs = ", ".join(f"{k.arg}: {self.expr(k.value)}" for k in node.keywords)
        return [f"{{ {pairs} }}"] if pairs else []

    def by_position(self, node, name) -> list[str]:
        """Keywords of what was translated, in the order of its parameters."""
        if not node.keywords:
            return []
        if name not in self.signatures or any(isinstance(a, ast.Starred) for a in node.args):
            raise self.fail(node, f"a call of {name} by keyword")
        given = {k.arg: self.expr(k.value) for k in node.keywords}
        rest = self.signatures[name][len(node.args):]
        last = max(rest.index(k) for k in given)
        return [given.get(parameter, "undefined") for parameter in rest[:last + 1]]


def assigned(body: list[ast.stmt]) -> set[str]:
    """Names that statements give values to; those of comprehensions are their own."""
    found = set()
    for node in body:
        if isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found |= {n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        elif isinstance(node, ast.For):
            found |= {n.id for n in ast.walk(node.target) if isinstance(n, ast.Name)} | assigned(node.body)
        elif isinstance(node, ast.If):
            found |= assigned(node.body) | assigned(node.orelse)
        elif isinstance(node, ast.Try):
            found |= assigned(node.body)
            for handler in node.handlers:
                found |= assigned(handler.body) | ({handler.name} if handler.name else set())
    return found


# What is taken of each module, in the order in which they need each other; None is all of it.
MODULES = (("native", {"short"}), ("model", {"ENOUGH"}), ("options", {"KERNELS"}), ("output", {"percent"}), ("metrics", None),
           ("cspell", None), ("kinds", None), ("emit", None),
           ("compress", {"Cost", "answers_of", "Candidate", "in_format", "cost", "in_best_format", "NOISES", "TOLD", "REFUSED", "REFITTED", "FORMATS", "CLOSE", "MOVED",
                         "sizes", "holds", "Judge", "with_vectors", "fit_format", "compress"}),
           ("cost", {"Shape", "Cost", "shape_of", "fours", "terms", "real_proto", "integer_proto", "cycles_of", "stack_of", "cycles_most",
                     "round_up", "SHOWN", "worst_words", "parts_of", "code_of", "helpers_of", "estimate", "CALL", "arrays_of", "called_by", "stack_most"}),
           ("methods", {"describe"}), ("export", None))
# What has its own form in python.js or in playground.js: it works with bytes, or with native code.
OWN = {"metrics": {"spread"}, "cspell": {"to_single"}, "methods": {"METHODS"}, "cost": {"targets"}, "compress": {"fewer", "folded", "moved"}}


def translate(gen: Path) -> str:
    signatures: dict[str, list[str]] = {}
    parts = []
    for module, wanted in MODULES:
        source = (gen / f"{module}.py").read_text("utf-8")
        if wanted is None:
            names = {n.name for n in ast.parse(source).body if isinstance(n, (ast.FunctionDef, ast.ClassDef))}
            names |= {t.id for n in ast.parse(source).body if isinstance(n, ast.Assign) for t in n.targets if isinstance(t, ast.Name)}
            wanted = names - OWN.get(module, set())
        translator = Translator(module, source, wanted, signatures)
        text = translator.translate()
        own = "".join(f"const {name} = M.own.{name};\n" for name in OWN.get(module, ()))
        parts.append(text.replace("(() => {\n", "(() => {\n" + own, 1))
    return "".join(parts)


if __name__ == "__main__":
    print(translate(Path(__file__).resolve().parents[2] / "gen"))
