"""Papers as folders: `paper.toml`, the library of all papers, names of statements, and related literature.

Whatever finds and reads a paper's contents page belongs here. What a statement says belongs in `statement`. This
package imports the standard library only.
"""
