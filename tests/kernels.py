"""The kernels of pages under nbval: forked from a process that has torch, not started anew, which takes seven seconds.

Each page still has a process of its own, with nothing of the package in it and the environment that it was asked for.
"""

import contextlib
import multiprocessing
import os
import random
import runpy
import sys
from importlib.metadata import EntryPoint

from jupyter_client.provisioning import KernelProvisionerFactory, LocalProvisioner

CONTEXT = multiprocessing.get_context("forkserver")


class Kernel(CONTEXT.Process):
    """A forked process that runs what `python -m ipykernel_launcher` would; to its provisioner it is a Popen."""

    stdin = stdout = stderr = None

    def __init__(self, cmd, env, cwd):
        super().__init__(daemon=False)
        self.cmd, self.env, self.cwd = cmd, env, cwd

    def run(self):
        import numpy
        import torch
        from tests import warm

        for name in [name for name in sys.modules if name.partition(".")[0] == "tests"]:
            del sys.modules[name]
        os.setsid()
        os.chdir(self.cwd)
        os.environ.clear()
        os.environ.update(self.env)
        sys.path[:] = warm.PATH
        sys.argv = ["ipykernel_launcher", *self.cmd[self.cmd.index("ipykernel_launcher") + 1 :]]
        random.seed()  # what a page forgets to seed shall differ from run to run, here, too
        numpy.random.seed()
        torch.seed()
        runpy.run_module("ipykernel_launcher", run_name="__main__", alter_sys=True)

    def poll(self):
        """The exit status, or None while it runs."""
        return self.exitcode

    def wait(self, timeout=None):
        """Wait for the end: the exit status."""
        self.join(timeout)
        return self.exitcode

    def send_signal(self, signum):
        """Send it one signal, if it is there still."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signum)


class Forked(LocalProvisioner):
    """Starts a kernel by a fork."""

    async def launch_kernel(self, cmd, env, cwd=None, **kwargs):
        """Launch a kernel with the command that would start a fresh one."""
        self.process = Kernel(cmd, env, cwd or os.getcwd())
        self.process.start()
        self.pid = self.pgid = self.process.pid
        self.cwd = self.process.cwd
        return self.connection_info


def fork_them():
    """Let every kernel that this process starts be forked, where processes can be."""
    if sys.platform == "linux":  # elsewhere libraries that are already loaded may not outlive a fork
        CONTEXT.set_forkserver_preload(["tests.warm"])
        factory = KernelProvisionerFactory.instance(default_provisioner_name="forked")
        factory.provisioners["forked"] = EntryPoint("forked", "tests.kernels:Forked", factory.GROUP_NAME)
