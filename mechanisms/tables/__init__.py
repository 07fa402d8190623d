"""Tables as people have them: columns and their types, labels, and ranges that are found privately.

Reading a table record by record belongs here; what is then learnt from it belongs in `learners` and `estimators`.
This package may import `noise`, `law`, `privacy` and `numerics`.
"""
