"""The lock files hold what requirements.txt pins, every file of it by its hash."""

import contextlib
import importlib.metadata
import re

import grimp
import pytest
from packaging.requirements import Requirement

from attend_book import ROOT, lock


def pins():
    lines = (ROOT / "requirements.txt").read_text("utf-8").splitlines()
    found = dict(line.split("==") for line in lines if "==" in line)
    return {plain(name): version for name, version in found.items()}


def plain(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def locked(name):
    found = lock.blocks((ROOT / name).read_text("utf-8"))
    return {
        name: (re.search(r"==([^\s;]+)", block)[1], re.findall(r"sha256:([0-9a-f]{64})\b", block))
        for name, block in found.items()
    }


@pytest.mark.parametrize("name", lock.LOCKS)
def test_each_is_pinned_as_in_requirements_and_has_hashes(name):
    wanted = pins()
    for package, (version, hashes) in locked(name).items():
        assert version == wanted.get(package, version), f"{package}: run make lock"
        assert hashes, package
    assert "index-url" not in (ROOT / name).read_text("utf-8")


def test_everything_but_torch_is_in_the_locks_and_the_site_a_part_of_each():
    whole, tests, site = map(locked, ("requirements.lock", "requirements-test.lock", "requirements-site.lock"))
    assert pins().keys() - whole.keys() - tests.keys() == {"torch"}
    assert site.items() <= tests.items()
    assert all(whole.get(package, found) == found for package, found in tests.items())
    assert "jupyter-book" in site
    assert whole.keys() - tests.keys() >= {"jupyterlab", "jupyter-repo2docker"}


def test_what_only_many_devices_need_is_installed_for_the_tests_alone():
    whole, tests = map(locked, ("requirements.lock", "requirements-test.lock"))
    assert tests.keys() - whole.keys() >= {"accelerate", "ray"}
    assert not {"accelerate", "ray", "huggingface-hub", "protobuf"} & whole.keys()


def test_a_lock_names_all_that_it_needs_but_torch():
    """Locks are installed without asking the packages, of which accelerate needs torch."""
    found = locked("requirements-test.lock")
    for name in found:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):  # of another system
            for asked in map(Requirement, importlib.metadata.requires(name) or ()):
                needed = not asked.marker or asked.marker.evaluate({"extra": ""})
                assert not needed or plain(asked.name) in found or lock.OF_TORCH.fullmatch(asked.name), (name, asked)


def test_the_site_imports_nothing_that_is_not_in_its_lock():
    """The other tests run where everything is installed; `make site` alone runs where only this is."""
    graph = grimp.build_graph("attend_book", "attend", include_external_packages=True)
    imported = graph.find_upstream_modules("attend_book.site", as_package=True)
    imported |= graph.find_upstream_modules("attend_book.build")
    homes = importlib.metadata.packages_distributions()
    needed = {plain(homes[name][0]) for name in imported if name in homes and not name.startswith("attend")}
    assert "sphinx" in needed
    of_stills = {"playwright"}  # a still is photographed where the tests are installed
    assert needed - of_stills - locked("requirements-site.lock").keys() == set()


def test_torch_and_its_cuda_are_left_out():
    of_torch = "torch==2 \\\n    --hash=sha256:1\nnvidia-cublas==3 ; sys_platform == 'linux' \\\n    --hash=sha256:2\n"
    assert list(lock.blocks("a==1 \\\n    --hash=sha256:0\n" + of_torch)) == ["a"]
