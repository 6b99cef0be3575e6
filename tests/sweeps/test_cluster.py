"""A sweep on a Ray cluster of two nodes, and what is said where there is no cluster."""

import http.server
import os
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

import pandas
import pytest

from ipc_articulation import SweepError, sweep
from ipc_articulation.errors import MissingPackageError
from ipc_articulation.sweeps import cluster
from tests.sweeps.troubled import KEY, raylets_above_workers, write_scene

SCENE = Path(__file__).parents[2] / "scenes" / "hinge_slider.yaml"
PLACE = "bodies.slider.pose.position[0]"


@pytest.fixture(scope="module")
def two_nodes() -> Iterator[str]:
    """The address of a cluster of two nodes with a CPU each, on loopback; Ray takes 127.0.0.1 for another address."""
    pytest.importorskip("ray")
    from ray.cluster_utils import Cluster

    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    node = {"num_cpus": 1, "node_ip_address": "127.0.0.2", "object_store_memory": 80 * 2**20}
    made = Cluster(initialize_head=True, head_node_args={**node, "include_dashboard": False})
    made.add_node(**node)
    yield made.address
    made.shutdown()


@pytest.mark.slow
def test_both_nodes_work_as_one_machine_does(two_nodes: str, tmp_path: Path) -> None:
    settings = {KEY: ["none", "raise", "crash", "hang"], "seed": range(2)}
    scene, options = write_scene(tmp_path), {"time_limit": 3.0, "quiet": True}
    there = sweep(scene, settings, ray=two_nodes, out=tmp_path / "there", **options)
    assert there["status"].tolist() == [s for s in ("done", "failed", "worker died", "timed out") for _ in range(2)]
    assert there.loc[there[KEY] == "crash", "error"].str.startswith("it ended by signal SIGSEGV").all()
    assert len(raylets_above_workers(tmp_path)) == 2

    here = sweep(scene, {KEY: ["none"], "seed": range(2)}, workers=1, out=tmp_path / "here", quiet=True)
    same = ["id", "status", "steps_taken", "minimum_distance", "largest_contact_force", "mean_newton_iterations"]
    pandas.testing.assert_frame_equal(there[same].head(2), here[same], check_dtype=False)


@pytest.fixture
def web_server() -> Iterator[str]:
    """Something that listens and is no Ray."""
    server = http.server.HTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"127.0.0.1:{server.server_port}"
    server.shutdown()


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("nonsense", "'nonsense' is no address of a Ray cluster; valid: auto, HOST:PORT, ray://HOST:PORT"),
        ("host:port", "'host:port' is no address of a Ray cluster"),
        (f"127.0.0.1:{free_port()}", "Connection refused; `ray start --head` makes one"),
        (f"ray://127.0.0.1:{free_port()}", "Connection refused; `ray start --head` makes one"),
    ],
    ids=["no port", "a word for a port", "nobody listens", "nobody listens to ray://"],  # the same in all workers
)
def test_an_address_that_is_no_cluster_is_named_at_once(tmp_path: Path, address: str, message: str) -> None:
    pytest.importorskip("ray")
    begin = perf_counter()
    with pytest.raises(SweepError) as caught:
        sweep(SCENE, {PLACE: [0.9]}, ray=address, out=tmp_path, quiet=True)
    assert message in str(caught.value)
    assert address in str(caught.value)
    assert perf_counter() - begin < 10.0


@pytest.mark.slow
def test_what_listens_but_is_no_cluster_is_named(web_server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("ray")
    monkeypatch.setattr(cluster, "_PATIENCE", 5.0)
    with pytest.raises(SweepError, match=f"no Ray cluster at '{web_server}': what is there does not answer as one"):
        cluster.require_cluster(web_server)


@pytest.mark.slow
def test_ray_that_is_missing_is_named_with_its_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(os.environ, "RAY_USAGE_STATS_ENABLED", "0")
    from importlib.util import find_spec

    monkeypatch.setattr("ipc_articulation.extras.find_spec", lambda name: None if name == "ray" else find_spec(name))
    with pytest.raises(MissingPackageError, match=r"ray is missing; .*pip install 'ipc_articulation\[cluster\]'"):
        sweep(SCENE, {PLACE: [0.9]}, ray="auto", out=tmp_path, quiet=True)
