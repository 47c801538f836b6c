"""The wheel that is built from this tree holds the package, its data files and its command."""

import subprocess
import sys
import zipfile
from email import message_from_bytes
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    folder = tmp_path_factory.mktemp("wheel")
    words = ["wheel", "--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder)]
    subprocess.run([sys.executable, "-m", "pip", *words, str(ROOT)], check=True)
    (path,) = folder.glob("*.whl")
    return zipfile.ZipFile(path)


def read_metadata(wheel: zipfile.ZipFile, name: str) -> bytes:
    (path,) = (each for each in wheel.namelist() if each.endswith(f".dist-info/{name}"))
    return wheel.read(path)


@pytest.mark.integration
def test_the_wheel_has_every_file_of_the_package(wheel: zipfile.ZipFile):
    """Data files included: recorded runs, style sheets, the marker of types."""
    source = [path for path in (ROOT / "src" / "road").rglob("*") if path.is_file()]
    known = {str(path.relative_to(ROOT)) for path in source if "__pycache__" not in path.parts}
    packaged = {f"src/{path}" for path in wheel.namelist() if path.startswith("road/")}
    assert packaged == known
    assert any(path.endswith(".json") for path in packaged)


@pytest.mark.integration
def test_the_wheel_has_its_name_its_extras_and_its_command(wheel: zipfile.ZipFile):
    metadata = message_from_bytes(read_metadata(wheel, "METADATA"))
    assert metadata["Name"] == "road-o2o"
    assert {"cli", "train", "robotics"} <= set(metadata.get_all("Provides-Extra", []))
    required = [line for line in metadata.get_all("Requires-Dist", []) if "extra ==" not in line]
    assert required == ["numpy>=1.26"]
    assert b"road = road.cli:main" in read_metadata(wheel, "entry_points.txt")
