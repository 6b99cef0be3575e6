r"""A fill-reducing order of elimination: approximate minimum degree on a quotient graph.

Eliminating a node p of the graph of a symmetric matrix couples all its neighbours L_p with each other: they are the
blocks below the diagonal in column p of the Cholesky factor. Next comes a node of smallest degree. Instead of the edges
within L_p the quotient graph keeps p as an element e with the list L_e, and the degree of a variable i is bounded by

    d_i = |A_i \ i| + |L_p \ i| + Σ |L_e \ L_p|          e: the elements of i other than p

with A_i its variables (neighbours by edges that no element covers). Elements within L_p are absorbed by p.

Source: Amestoy, Davis, Duff, «An approximate minimum degree ordering algorithm», SIAM J. Matrix Anal. Appl. 17 (1996),
without its supervariables.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ipc_articulation.arrays import Bools, Ints
from ipc_articulation.compiled import compiled


class _Graph(NamedTuple):
    """The quotient graph; a node is a variable until it is eliminated, then an element."""

    begin: Ints  # (n,) start of a node's part of the next two
    variables: Ints
    elements: Ints
    variable_count: Ints  # (n,)
    element_count: Ints  # (n,)
    is_absorbed: Bools  # (n,) of elements
    start: Ints  # (n,) L_e of an element is members[start[e] : end[e]]
    end: Ints  # (n,)
    degree: Ints  # (n,) of variables
    buckets: Ints  # (3, n): by degree a variable of it; by variable the next and the previous of its degree
    mark: Ints  # (n,) the last p whose L_p has a variable
    outside: Ints  # (n,) |L_e \ L_p| of elements,
    outside_of: Ints  # (n,) and the p which that is of


@compiled
def minimum_degree(begin, neighbours):
    """Order of elimination of the graph in which i touches neighbours[begin[i] : begin[i + 1]], without i.

    Returns:
        order (n,): The nodes as they are eliminated.
        first (n + 1,), members: L_p of the k-th node eliminated is members[first[k] : first[k + 1]], unsorted.
    """
    n = len(begin) - 1
    graph = _quotient_graph(begin, neighbours)
    order, first = np.empty(n, dtype=np.int64), np.zeros(n + 1, dtype=np.int64)
    members = np.empty(2 * len(neighbours) + n, dtype=np.int64)
    lowest = 0
    for k in range(n):
        while graph.buckets[0, lowest] < 0:
            lowest += 1
        p = graph.buckets[0, lowest]
        _take_out(graph.buckets, p, graph.degree[p])
        if first[k] + n > len(members):
            members = np.concatenate((members, members))
        order[k], first[k + 1] = p, _eliminate(graph, p, first[k], members)
        L_p = members[first[k] : first[k + 1]]
        _count_outside(graph, p, L_p)
        for i in L_p:
            _take_out(graph.buckets, i, graph.degree[i])
            bound = len(L_p) - 1 + _update_elements(graph, i, p) + _update_variables(graph, i, p)
            graph.degree[i] = min(bound, n - k - 2)
            _put_in(graph.buckets, i, graph.degree[i])
            lowest = min(lowest, graph.degree[i])
    return order, first, members[: first[n]]


@compiled
def _quotient_graph(begin, neighbours):
    n = len(begin) - 1
    degree = begin[1:] - begin[:-1]
    numbers = np.full((8, n), -1, dtype=np.int64)
    graph = _Graph(
        begin[:-1], neighbours.copy(), np.empty_like(neighbours), degree.copy(), np.zeros(n, dtype=np.int64),
        np.zeros(n, dtype=np.bool_), numbers[0], numbers[1], degree, numbers[2:5],
        numbers[5], numbers[6], numbers[7],
    )  # fmt: skip
    for i in range(n - 1, -1, -1):
        _put_in(graph.buckets, i, graph.degree[i])
    return graph


@compiled
def _variables(graph, i):
    return graph.variables[graph.begin[i] : graph.begin[i] + graph.variable_count[i]]


@compiled
def _elements(graph, i):
    return graph.elements[graph.begin[i] : graph.begin[i] + graph.element_count[i]]


@compiled
def _eliminate(graph, p, start, members):
    """Make p an element; write L_p, the variables of p and of its elements, to members[start:]. Returns: its end.

    The elements of p are absorbed, so remaining elements have only remaining variables.
    """
    count, graph.mark[p] = start, p
    for i in _variables(graph, p):
        graph.mark[i], members[count] = p, i
        count += 1
    for e in _elements(graph, p):
        graph.is_absorbed[e] = True
        for i in members[graph.start[e] : graph.end[e]]:
            if graph.mark[i] != p:
                graph.mark[i], members[count] = p, i
                count += 1
    graph.start[p], graph.end[p] = start, count
    return count


@compiled
def _count_outside(graph, p, L_p):
    r"""|L_e \ L_p| of all elements that share variables with p."""
    for i in L_p:
        for e in _elements(graph, i):
            if graph.outside_of[e] != p:
                graph.outside_of[e], graph.outside[e] = p, graph.end[e] - graph.start[e]
            graph.outside[e] -= 1


@compiled
def _update_elements(graph, i, p):
    r"""Remove from i the elements that p absorbs, and add p. Returns: Σ |L_e \ L_p|."""
    place, total = graph.begin[i], 0
    for e in _elements(graph, i):
        if graph.outside[e] > 0 and not graph.is_absorbed[e]:
            graph.elements[place] = e
            place += 1
            total += graph.outside[e]
    graph.elements[place] = p
    graph.element_count[i] = place + 1 - graph.begin[i]
    return total


@compiled
def _update_variables(graph, i, p):
    """Remove the variables in L_p from i. Returns: |A_i|."""
    place = graph.begin[i]
    for j in _variables(graph, i):
        if graph.mark[j] != p:
            graph.variables[place] = j
            place += 1
    graph.variable_count[i] = place - graph.begin[i]
    return graph.variable_count[i]


@compiled
def _put_in(buckets, i, degree):
    head = buckets[0, degree]
    buckets[0, degree], buckets[1, i], buckets[2, i] = i, head, -1
    if head >= 0:
        buckets[2, head] = i


@compiled
def _take_out(buckets, i, degree):
    following, previous = buckets[1, i], buckets[2, i]
    if previous >= 0:
        buckets[1, previous] = following
    else:
        buckets[0, degree] = following
    if following >= 0:
        buckets[2, following] = previous
