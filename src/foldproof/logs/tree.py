"""Records that name their parent, brought into the order in which the talk went."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Node(Generic[T]):
    """One record with its own id and that of its parent, empty for a root. `order` says which of two is later."""

    id: str
    parent: str
    order: tuple[float, int]
    value: T


@dataclass(frozen=True, slots=True)
class Walked(Generic[T]):
    """The nodes of the talk as it went, and those of the branches that were left."""

    active: list[Node[T]]
    left: list[Node[T]]


def walk(nodes: Sequence[Node[T]], belongs: Callable[[Node[T], Node[T]], bool]) -> Walked[T]:
    """Follow every root to its end; where a node has two children, the branch that goes on the longest is the talk.

    `belongs` says of a node beside the talk (and the node whose child it is) that it is a part of it all the same, as
    the result of one of two parallel calls. A parent that is not here makes a root; a circle is cut at its first node.
    The order of the input plays no part but for nodes of equal time.
    """
    children: dict[Hashable, list[Node[T]]] = {}
    ids = {node.id for node in nodes}
    roots: list[Node[T]] = []
    for node in sorted(nodes, key=lambda node: node.order):
        if node.parent and node.parent in ids and node.parent != node.id:
            children.setdefault(node.parent, []).append(node)
        else:
            roots.append(node)
    latest, reached = _latest(roots, children)
    for node in nodes:
        if id(node) not in reached:
            roots.append(node)
            more, seen = _latest([node], children, reached)
            latest.update(more)
            reached |= seen
    active: list[Node[T]] = []
    left: list[Node[T]] = []
    for root in sorted(roots, key=lambda node: node.order):
        _follow(root, children, latest=latest, belongs=belongs, active=active, left=left)
    return Walked(active, left)


def _latest(
    roots: Sequence[Node[T]], children: dict[Hashable, list[Node[T]]], before: set[int] | None = None
) -> tuple[dict[int, tuple[float, int]], set[int]]:
    """The order of the latest node below each node, and which nodes were reached; without recursion, trees are deep."""
    latest: dict[int, tuple[float, int]] = {}
    reached: set[int] = set(before or ())
    visited: list[Node[T]] = []
    waiting = list(roots)
    while waiting:
        node = waiting.pop()
        if id(node) in reached:
            continue
        reached.add(id(node))
        visited.append(node)
        waiting += children.get(node.id, ())
    for node in reversed(visited):
        below = (latest[id(child)] for child in children.get(node.id, ()) if id(child) in latest)
        latest[id(node)] = max([node.order, *below])
    return latest, reached


def _follow(
    root: Node[T],
    children: dict[Hashable, list[Node[T]]],
    *,
    latest: dict[int, tuple[float, int]],
    belongs: Callable[[Node[T], Node[T]], bool],
    active: list[Node[T]],
    left: list[Node[T]],
) -> None:
    seen: set[int] = set()
    node: Node[T] | None = root
    while node is not None and id(node) not in seen:
        seen.add(id(node))
        active.append(node)
        below = [child for child in children.get(node.id, ()) if id(child) not in seen and id(child) in latest]
        following = max(below, key=lambda child: latest[id(child)], default=None)
        for child in below:
            if child is following:
                continue
            _beside(child, node, children=children, belongs=belongs, seen=seen, active=active, left=left)
        node = following


def _beside(
    first: Node[T],
    parent: Node[T],
    *,
    children: dict[Hashable, list[Node[T]]],
    belongs: Callable[[Node[T], Node[T]], bool],
    seen: set[int],
    active: list[Node[T]],
    left: list[Node[T]],
) -> None:
    """A branch beside the talk: what belongs to the talk all the same, as far down as it does, and the rest."""
    waiting = [(first, parent, True)]
    while waiting:
        node, above, kept = waiting.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        kept = kept and belongs(node, above)
        (active if kept else left).append(node)
        waiting += [(child, node, kept) for child in children.get(node.id, ())]
