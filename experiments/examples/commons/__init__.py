"""The commons: statements on differential privacy and concentration that the whole field cites, each from a source of
its own. Each has a verdict, a control and a line on its use. It is a paper folder as any other: its modules import
each other and `lemmata.paper`, the public door, and nothing else of this package.
"""
