"""Tools of the repository: what measures it, plants mistakes in it, and audits libraries of others.

A tool that writes a table of the repository, or runs a study that no user runs, belongs here; what a user of the
package calls does not, because no wheel contains this folder. Tools may import every other part of the package, and
only `lemmata.command` imports a tool, where a checkout has one.
"""
