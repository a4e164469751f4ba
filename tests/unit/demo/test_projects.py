from __future__ import annotations

import pytest

from foldproof.core import UsageError
from foldproof.demo import write_showcase, write_starter


def test_the_showcase_is_written_again_over_itself(tmp_path):
    written = write_showcase(tmp_path / "demo")
    assert tmp_path / "demo" / "foldproof.yaml" in written
    (tmp_path / "demo" / "replay.yaml").unlink()
    assert write_showcase(tmp_path / "demo") == written
    assert (tmp_path / "demo" / "replay.yaml").exists()


@pytest.mark.parametrize("content", [b"foldproof: 1\n", b"caf\xe9\n", b"\xff\xfe" * 900])
def test_a_folder_with_another_project_is_refused(tmp_path, content):
    (tmp_path / "foldproof.yaml").write_bytes(content)
    with pytest.raises(
        UsageError, match="the folder is not empty and holds no demo\n  name another with: foldproof demo"
    ):
        write_showcase(tmp_path)
    assert (tmp_path / "foldproof.yaml").read_bytes() == content


@pytest.mark.parametrize("name", ["file", "file/below"])
def test_a_file_where_a_folder_is_expected_is_refused(tmp_path, name):
    (tmp_path / "file").write_text("mine")
    for write in (write_showcase, write_starter):
        with pytest.raises(UsageError, match="file"):
            write(tmp_path / name)
    assert (tmp_path / "file").read_text() == "mine"


def test_a_folder_that_no_system_can_name_is_refused(tmp_path):
    for write in (write_showcase, write_starter):
        with pytest.raises(UsageError, match="null"):
            write(tmp_path / "a\0b")


def test_the_starter_leaves_what_is_there(tmp_path):
    (tmp_path / "foldproof.yaml").write_text("mine")
    written, left = write_starter(tmp_path)
    assert left == [tmp_path / "foldproof.yaml"]
    assert (tmp_path / ".github" / "workflows" / "foldproof.yml") in written
