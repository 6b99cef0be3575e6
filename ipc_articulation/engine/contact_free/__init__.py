"""The whole step of a scene that cannot touch, in one compiled call.

If a few bodies are connected by joints and nothing can touch, an iteration of Newton's method is some microseconds of
arithmetic and forty calls from Python. Here compiled code calls the same functions in the same order. Special cases are
left to the general step (`engine.step`), which starts again and reports the problem.

`problem` selects these scenes and collects their data; `potential` and `system` are energy, gradient and the Newton
system; `newton` is the loop; `step` is the whole step.
"""
