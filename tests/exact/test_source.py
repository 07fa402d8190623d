"""The text of a function."""

from lemmata.bounds.statement.source import source


def test_a_function_that_stands_in_no_file_has_no_text():
    for name in ("gone.py", "<string>"):
        scope = {}
        exec(compile("def f():\n    return 1", name, "exec"), scope)
        assert source(scope["f"]) == ""
