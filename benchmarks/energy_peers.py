"""The energy of articulations with revolute joints in JAX and CasADi: see `ipc_articulation.articulation.revolute`."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ipc_articulation.arrays import Array, Ints

Work = dict[str, Callable[[], object]]


class Problem(NamedTuple):
    """Chains of f bodies' joints each, m joints in all, between n bodies."""

    bodies: Ints  # (m, 2)
    local: Array  # (m, 2, 2, 3) n̄ and b̄ in both bodies
    mass: Array  # (m/f, f, f)
    tilde: Array  # (m,)
    q: Array  # (n, 12)
    q_ref: Array  # (n, 12)


def cos_sin(q_i, q_j, local):
    """C and S of the world vectors of a joint, in any package's numbers."""
    (n_i, b_i), (n_j, b_j) = ([_world(q, v) for v in side] for q, side in zip((q_i, q_j), local, strict=True))
    return 0.5 * (_dot(b_i, b_j) + _dot(n_i, n_j)), 0.5 * (_dot(n_i, b_j) - _dot(b_i, n_j))


def _world(q, v):
    return [q[3 + 3 * a] * v[0] + q[4 + 3 * a] * v[1] + q[5 + 3 * a] * v[2] for a in range(3)]


def _dot(x, y):
    return x[0] * y[0] + x[1] * y[1] + x[2] * y[2]


def jax_work(p: Problem) -> tuple[str, Work]:
    """Nothing where JAX is not installed, which it says."""
    try:
        import jax
        import jax.numpy as jnp
    except ImportError:
        print("JAX is left out: pip install 'ipc_articulation[bench]'")
        return "jax", {}
    jax.config.update("jax_enable_x64", True)
    bodies, local, mass, tilde, q, q_ref = map(jnp.asarray, p)

    def angle(pair, local, reference):
        C, S = cos_sin(pair[:12], pair[12:], local)
        C_t, S_t = cos_sin(reference[:12], reference[12:], local)
        return jnp.arctan2(S * C_t - C * S_t, C * C_t + S * S_t)

    def residual(q):
        delta = jax.vmap(angle)(q[bodies].reshape(-1, 24), local, q_ref[bodies].reshape(-1, 24))
        return delta, (delta - tilde).reshape(len(mass), -1)

    def value(q):
        r = residual(q)[1]
        return 0.5 * jnp.einsum("ai,aij,aj->", r, mass, r)

    def hessian(q):
        delta, r = residual(q)
        w = jnp.einsum("aij,aj->ai", mass, r).ravel()
        pairs, references = q[bodies].reshape(-1, 24), q_ref[bodies].reshape(-1, 24)
        J = jax.vmap(jax.grad(angle))(pairs, local, references)
        return w, delta, J, w[:, None, None] * jax.vmap(jax.hessian(angle))(pairs, local, references)

    functions = {"value": value, "gradient": jax.grad(value), "hessian": hessian}
    jitted = {name: jax.jit(function) for name, function in functions.items()}
    works = {name: lambda function=function: jax.block_until_ready(function(q)) for name, function in jitted.items()}
    return f"jax {jax.__version__}", works


def casadi_work(p: Problem) -> tuple[str, Work]:
    """Nothing where CasADi is not installed, which it says."""
    try:
        import casadi
    except ImportError:
        print("CasADi is left out: pip install 'ipc_articulation[bench]'")
        return "casadi", {}
    pair, local, reference, w = (casadi.SX.sym(name, size) for name, size in zip("plrw", (24, 12, 24, 1), strict=True))
    vectors = [[[local[6 * side + 3 * v + a] for a in range(3)] for v in range(2)] for side in range(2)]
    C, S = cos_sin(pair[:12], pair[12:], vectors)
    C_t, S_t = cos_sin(reference[:12], reference[12:], vectors)
    angle = casadi.atan2(S * C_t - C * S_t, C * C_t + S * S_t)
    J = casadi.jacobian(angle, pair)
    H = casadi.densify(w * casadi.hessian(angle, pair)[0])
    m = len(p.bodies)
    constants = np.ascontiguousarray(p.local.reshape(m, 12)), p.q_ref[p.bodies].reshape(m, 24)
    delta_of = _mapped(casadi.Function("delta", [pair, local, reference], [angle]), m, (1,))
    slopes_of = _mapped(casadi.Function("slopes", [pair, local, reference], [casadi.densify(J)]), m, (24,))
    curvature_of = _mapped(casadi.Function("curvature", [pair, local, reference, w], [H]), m, (24, 24))

    def force(pairs):
        delta = delta_of(pairs, *constants).ravel()
        r = (delta - p.tilde).reshape(len(p.mass), -1)
        return delta, r, np.einsum("aij,aj->ai", p.mass, r)

    def value():
        _, r, w = force(p.q[p.bodies].reshape(m, 24))
        return 0.5 * np.sum(r * w)

    def gradient():
        pairs = p.q[p.bodies].reshape(m, 24)
        w = force(pairs)[2].ravel()
        g = np.zeros_like(p.q)
        np.add.at(g, p.bodies, (w[:, None] * slopes_of(pairs, *constants)).reshape(m, 2, 12))
        return g

    def hessian():
        pairs = p.q[p.bodies].reshape(m, 24)
        delta, _, w = force(pairs)
        w = w.ravel()
        return w, delta, slopes_of(pairs, *constants), curvature_of(pairs, *constants, w)

    return f"casadi {casadi.__version__}", {"value": value, "gradient": gradient, "hessian": hessian}


def _mapped(function, count: int, shape: tuple[int, ...]) -> Callable[..., Array]:
    """The function over `count` joints at once, without conversions of its arguments and results."""
    buffer, evaluate = function.map(count).buffer()

    def call(*arguments: Array) -> Array:
        result = np.empty((count, *shape))
        for place, argument in enumerate(arguments):
            buffer.set_arg(place, memoryview(argument))
        buffer.set_res(0, memoryview(result))
        evaluate()
        return result

    return call
