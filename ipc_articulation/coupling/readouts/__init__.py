"""Read-outs of a coupled step: contacts, wrenches on links and joints, momentum, energy and work.

They are computed when they are asked for. Twists, momenta and wrenches are [angular; linear] and [moment; force], in
the world's axes and, where nothing else is said, about the world's origin, as in `ipc_articulation.dynamics`.
"""
