"""What the papers promise: numbers go in, numbers come out.

Every numbered statement of the four papers is a function here, in a package a paper. Machinery is in `catalogue`
(papers and their names), `statement` (the record of a theorem) and `exact` (ball arithmetic). It imports no other
part of `lemmata`. `theorem` and `library` are the two modules that a paper's author imports.
"""
