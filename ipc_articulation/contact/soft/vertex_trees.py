"""Trees over faces whose vertices move freely: boxes of nodes follow the vertices (see `face_trees`).

A tree is made once, from the shape at rest; a search fills in the boxes of the meshes that it looks at, from the leaves
to the root. The rest is that of `primitive_pairs`.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.compiled import compiled


@compiled
def box_of_leaf(trees, node, faces, x, x_end, boxes):
    for k in range(3):
        low, high, low_end, high_end = np.inf, -np.inf, np.inf, -np.inf
        for f in range(trees.begin[node], trees.begin[node] + trees.size[node]):
            for c in range(3):
                v = faces[trees.face[f], c]
                low, high = min(low, x[v, k]), max(high, x[v, k])
                low_end, high_end = min(low_end, x_end[v, k]), max(high_end, x_end[v, k])
        boxes[node, k], boxes[node, 3 + k] = low, high
        boxes[node, 6 + k], boxes[node, 9 + k] = low_end, high_end


@compiled
def box_of_both(boxes, node, left, right):
    for k in range(3):
        for low in (0, 6):
            boxes[node, low + k] = min(boxes[left, low + k], boxes[right, low + k])
            boxes[node, low + 3 + k] = max(boxes[left, low + 3 + k], boxes[right, low + 3 + k])
