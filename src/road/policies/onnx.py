"""A policy as one ONNX graph: from observations to actions, normaliser and box inside.

Its input ``observation`` is a batch of vectors (batch, numbers), a dict laid side by side in the
order of its keys; its output ``action`` is (batch, numbers), in the environment's units. After
writing, onnxruntime runs it beside the NumPy policy, and a graph that differs is not kept.
"""

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from road.errors import RoadError
from road.files import write_bytes
from road.policies.composite import Composite
from road.policies.saved import Saved
from road.policies.weights import LEAST_SCALE, Weights

OPSET = 17
CHECKED = 1000
"""Observations on which a graph is compared with the policy that it was made of."""
LARGEST_DIFFERENCE = 1e-4
"""As a share of the box: float32 in another order of additions."""


class Graph:
    """The nodes and constants of a graph that grows."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def add(self, kind: str, *inputs: str, **settings: Any) -> str:
        name = f"{kind.lower()}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], **settings))
        return name

    def constant(self, value: Any, dtype: Any = np.float32) -> str:
        name = f"constant_{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(value, dtype), name))
        return name


def write_onnx(saved: Saved, path: Path) -> float:
    """Write the graph; gives its greatest difference from the policy, as a share of the box."""
    content = build(saved).SerializeToString()
    difference = compare(saved, content)
    if not difference <= LARGEST_DIFFERENCE:
        raise RoadError(
            f"the graph differs from the policy by {difference:.2g}; nothing is written"
        )
    write_bytes(path, content)
    return difference


def build(saved: Saved) -> onnx.ModelProto:
    graph, network, spaces = Graph(), saved.network(), saved.spaces
    if isinstance(network, Composite):
        unit = composite(graph, network, "observation")
    else:
        unit = dense(graph, network, "observation")
    unit = graph.add("Clip", unit, graph.constant(-1.0), graph.constant(1.0))
    half = graph.constant((spaces.high - spaces.low) / 2.0)
    centre = graph.constant((spaces.high + spaces.low) / 2.0)
    moved = graph.add("Add", graph.add("Mul", unit, half), centre)
    graph.nodes.append(helper.make_node("Identity", [moved], ["action"]))
    sides = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, ["batch", width])
        for name, width in (("observation", network.inputs), ("action", network.outputs))
    ]
    made = helper.make_graph(graph.nodes, "policy", sides[:1], sides[1:], graph.constants)
    opsets = [helper.make_opsetid("", OPSET)]
    model = helper.make_model(
        made, opset_imports=opsets, ir_version=8, producer_name="road", doc_string=saved.name
    )
    onnx.checker.check_model(model)
    return model


def dense(graph: Graph, weights: Weights, x: str) -> str:
    """The best action, or the value, of one network; the formats that runs are saved in."""
    if "in_shift" in weights.more:
        x = graph.add("Sub", x, graph.constant(weights.more["in_shift"]))
        x = graph.add("Div", x, graph.constant(weights.more["in_scale"] + LEAST_SCALE))
    *hidden, last = weights.layers
    for weight, bias in hidden:
        x = graph.add("Relu", affine(graph, x, weight, bias))
    x = affine(graph, x, *last)
    return graph.add("Tanh", x) if weights.output == "tanh" else x


def affine(graph: Graph, x: str, weight: NDArray[Any], bias: NDArray[Any]) -> str:
    return graph.add("Gemm", x, graph.constant(weight), graph.constant(bias), transB=1)


def composite(graph: Graph, network: Composite, x: str) -> str:
    """The proposal of the greater min Q; the offline one where they are equal."""
    proposals = [dense(graph, each, x) for each in (network.offline, network.online)]
    values: list[str] = []
    for action in proposals:
        both = graph.add("Concat", x, action, axis=1)
        critics = [dense(graph, critic, both) for critic in network.critics]
        values.append(graph.add("Min", *critics))
    return graph.add("Where", graph.add("GreaterOrEqual", *values), *proposals)


def compare(saved: Saved, content: bytes) -> float:
    """On draws around the mean of the observations, three of their spreads wide."""
    network, spaces = saved.network(), saved.spaces
    seen = draw_observations(saved, network.inputs)
    session = onnxruntime.InferenceSession(content, providers=["CPUExecutionProvider"])
    (found,) = session.run(None, {"observation": seen})
    expected = spaces.low + (np.clip(network.act(seen), -1.0, 1.0) + 1.0) / 2.0 * (
        spaces.high - spaces.low
    )
    box = np.maximum(spaces.high - spaces.low, np.finfo(np.float32).tiny)
    return float(np.max(np.abs(np.asarray(found) - expected) / box))


def draw_observations(saved: Saved, width: int) -> NDArray[np.float32]:
    plain = next(iter(saved.networks.values()))
    mean, spread = plain.get("in_shift", np.zeros(width)), plain.get("in_scale", np.ones(width))
    noise = np.random.default_rng(0).normal(size=(CHECKED, width))
    return (mean + 3.0 * spread * noise).astype(np.float32)
