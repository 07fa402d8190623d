"""The commands about one statement: `lemmata explain`, and `lemmata review`, which writes what a referee may paste."""

import click

from lemmata.bounds.library import library
from lemmata.command.console import one_line_errors, out_option, root_option
from lemmata.command.rows import compute_statement, read_statement, recall_statement, terminal_width


def complete_names(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """Completions for the shell: papers and ids of statements."""
    return [name for name in (*library.papers, *library.ids) if name.startswith(incomplete.lower())]


@click.command()
@click.argument("arguments", nargs=-1, required=True, metavar="[PATH] ID or LABEL", shell_complete=complete_names)
@click.option("--short", "only_head", is_flag=True, help="Print the summary only.")
@click.option("--latex", is_flag=True, help="Print the statement and what to cite instead in LaTeX, with BibTeX.")
@root_option
@out_option
@one_line_errors()
def explain(arguments: tuple[str, ...], only_head: bool, latex: bool, root: int, out: str | None) -> None:
    """Explain whether a statement is true, where, and what to cite instead, with the details of every reading."""
    papers, id, folder, state = read_statement(arguments, out)
    from lemmata.experiments.engine.front import explanation

    rows, links = recall_statement(id, root, folder, papers, state) or compute_statement(id, root, folder, papers)
    mine = [row for row in rows if id in (row["id"], row["parent"])]
    if latex:
        from lemmata.experiments.report.citations import cite_row

        first, *_ = shown = explanation.select_cited(id, mine)
        click.echo("\n".join([*explanation.write_latex(shown), "", cite_row(first)]))
        return
    text = "\n".join(explanation.explain_in_short(id, mine)) if only_head else ""
    click.echo(explanation.fit_lines(text or explanation.explain_statement(id, rows, links), terminal_width()))


@click.command()
@click.argument("names", nargs=-1, required=True, metavar="ID...", shell_complete=complete_names)
@root_option
@out_option
@one_line_errors()
def review(names: tuple[str, ...], root: int, out: str | None) -> None:
    """Write a paragraph about each statement, to paste into a review: whether it is true, why not, what to cite."""
    from importlib import metadata

    from lemmata.experiments.engine.front.explanation import write_review

    for name in names:
        papers, id, folder, state = read_statement([name], out)
        rows, _ = recall_statement(id, root, folder, papers, state) or compute_statement(id, root, folder, papers)
        click.echo(write_review(id, [row for row in rows if id in (row["id"], row["parent"])], terminal_width()) + "\n")
    click.echo(f"Each verdict has a program (Lemmata {metadata.version('lemmata')}, `lemmata explain ID`).")
