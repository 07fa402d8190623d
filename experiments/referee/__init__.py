"""The referee: somebody's folder judged again, apart from its author's choices, on one page that is signed.

The clean room, what is found there and the page belong here. How a row is decided and what `lemmata check` looks for
belong to the engine and to `conformance`. Modules of this package import all others, and none imports them.
"""
