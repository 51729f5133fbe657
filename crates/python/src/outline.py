# Lists the names that Python files define, without running them: a JSON list of sources on standard input, a list of
# outlines or syntax errors on standard output.
import ast
import json
import sys

# Code with any of these can define names that cannot be seen.
DYNAMIC = {"globals", "exec", "eval", "setattr", "vars", "locals", "__dict__", "__getattr__", "__import__"}
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def outline(source):
    try:
        tree = ast.parse(source)
        return defined(tree)
    except SyntaxError as error:
        return {"syntax": error.msg, "line": error.lineno or 1, "column": error.offset or 1}
    except (ValueError, RecursionError, MemoryError) as error:
        return {"syntax": str(error) or type(error).__name__, "line": 1, "column": 1}


def defined(tree):
    functions, names, todo = [], set(), list(reversed(tree.body))
    open = any(is_dynamic(node) for node in ast.walk(tree))
    while todo:
        node = todo.pop()
        if isinstance(node, SCOPES):
            names.add(node.name)
            if not isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                functions.append(node.name)
            continue
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            for alias in node.names:
                open = open or alias.name == "*"
                names.add(alias.asname or alias.name.split(".")[0])
            continue
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(getattr(node, "name", None), str):
            names.add(node.name)
        todo.extend(reversed(list(ast.iter_child_nodes(node))))
    return {"functions": functions, "names": sorted(names), "open": open}


def is_dynamic(node):
    if isinstance(node, ast.Global):
        return True
    name = getattr(node, "id", None) or getattr(node, "attr", None) or getattr(node, "name", None)
    return isinstance(name, str) and name in DYNAMIC


json.dump([outline(source) for source in json.load(sys.stdin.buffer)], sys.stdout)
