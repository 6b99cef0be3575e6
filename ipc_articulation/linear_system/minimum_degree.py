r"""A fill-reducing order of elimination: approximate minimum degree on a quotient graph.

Eliminating a node p of the graph of a symmetric matrix couples all its neighbours L_p with each other: they are the
blocks below the diagonal in column p of the Cholesky factor. Next comes a node of smallest degree. Instead of the edges
within L_p the quotient graph keeps p as an element e with the list L_e, and the degree of a variable i is bounded by

    d_i = |A_i \ i| + |L_p \ i| + Σ |L_e \ L_p|          e: the elements of i other than p

with A_i its variables (neighbours by edges that no element covers). Elements within L_p are absorbed by p. |·| is the
number of unknowns: nodes have weights.

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
    weight: Ints  # (n,)
    heads: Ints  # (total weight,) by degree a variable of it
    links: Ints  # (2, n) by variable the next and the previous of its degree
    size: Ints  # (n,) |L_e| when an element was made
    mark: Ints  # (n,) the last p whose L_p has a variable
    outside: Ints  # (n,) |L_e \ L_p| of elements,
    outside_of: Ints  # (n,) and the p which that is of


@compiled
def minimum_degree(begin, neighbours, weight):
    """Order of elimination of the graph in which i touches neighbours[begin[i] : begin[i + 1]], without i.

    Args:
        begin: (n + 1,).
        neighbours: (2·edges,).
        weight: Unknowns of each node, (n,).

    Returns:
        order (n,): The nodes as they are eliminated.
        first (n + 1,), members: L_p of the k-th node eliminated is members[first[k] : first[k + 1]], unsorted.
    """
    n = len(begin) - 1
    graph = _quotient_graph(begin, neighbours, weight)
    order, first = np.empty(n, dtype=np.int64), np.zeros(n + 1, dtype=np.int64)
    members = np.empty(2 * len(neighbours) + n, dtype=np.int64)
    lowest, left = 0, np.sum(weight)
    for k in range(n):
        while graph.heads[lowest] < 0:
            lowest += 1
        p = graph.heads[lowest]
        _take_out(graph, p)
        left -= weight[p]
        if first[k] + n > len(members):
            members = np.concatenate((members, members))
        order[k], first[k + 1] = p, _eliminate(graph, p, first[k], members)
        L_p = members[first[k] : first[k + 1]]
        size = _count_outside(graph, p, L_p)
        for i in L_p:
            _take_out(graph, i)
            bound = size - weight[i] + _update_elements(graph, i, p) + _update_variables(graph, i, p)
            graph.degree[i] = min(bound, left - weight[i])
            _put_in(graph, i)
            lowest = min(lowest, graph.degree[i])
    return order, first, members[: first[n]]


@compiled
def _quotient_graph(begin, neighbours, weight):
    n = len(begin) - 1
    numbers = np.full((9, n), -1, dtype=np.int64)
    count, degree = begin[1:] - begin[:-1], numbers[0]
    for i in range(n):
        degree[i] = 0
        for j in neighbours[begin[i] : begin[i + 1]]:
            degree[i] += weight[j]
    graph = _Graph(
        begin[:-1], neighbours.copy(), np.empty_like(neighbours), count, np.zeros(n, dtype=np.int64),
        np.zeros(n, dtype=np.bool_), numbers[1], numbers[2], degree, weight,
        np.full(np.sum(weight) + 1, -1), numbers[3:5], numbers[5], numbers[6], numbers[7], numbers[8],
    )  # fmt: skip
    for i in range(n - 1, -1, -1):
        _put_in(graph, i)
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
    r"""Find |L_e \ L_p| of all elements that share variables with p. Returns: |L_p|."""
    size = 0
    for i in L_p:
        size += graph.weight[i]
        for e in _elements(graph, i):
            if graph.outside_of[e] != p:
                graph.outside_of[e], graph.outside[e] = p, graph.size[e]
            graph.outside[e] -= graph.weight[i]
    graph.size[p] = size
    return size


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
    place, total = graph.begin[i], 0
    for j in _variables(graph, i):
        if graph.mark[j] != p:
            graph.variables[place] = j
            place += 1
            total += graph.weight[j]
    graph.variable_count[i] = place - graph.begin[i]
    return total


@compiled
def _put_in(graph, i):
    """Add a variable to those of its degree."""
    head = graph.heads[graph.degree[i]]
    graph.heads[graph.degree[i]], graph.links[0, i], graph.links[1, i] = i, head, -1
    if head >= 0:
        graph.links[1, head] = i


@compiled
def _take_out(graph, i):
    """Remove a variable from those of its degree."""
    following, previous = graph.links[0, i], graph.links[1, i]
    if previous >= 0:
        graph.links[0, previous] = following
    else:
        graph.heads[graph.degree[i]] = following
    if following >= 0:
        graph.links[1, following] = previous


@compiled
def grouped(keys, values, n):
    """Sort values stably by keys (m,) in [0, n); those of key k are at [first[k] : first[k + 1]]: first, sorted."""
    first = np.zeros(n + 2, dtype=np.int64)
    for k in keys:
        first[k + 2] += 1
    first = np.cumsum(first)
    result = np.empty_like(values)
    for v in range(len(values)):
        result[first[keys[v] + 1]] = values[v]
        first[keys[v] + 1] += 1
    return first[:-1], result
