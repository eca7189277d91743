# SPDX-License-Identifier: GPL-3.0-or-later
"""The wheel holds a shared library of one platform that any Python 3 may load: py3-none-PLATFORM. UNROLL_WHEEL_PLATFORM
names the platform (the oldest glibc that the library runs with)."""

import os

from setuptools import Distribution, setup
from setuptools.command.bdist_wheel import bdist_wheel


class OfThisPlatform(Distribution):
    def has_ext_modules(self):
        return True


class AnyPython(bdist_wheel):
    def get_tag(self):
        return "py3", "none", os.environ.get("UNROLL_WHEEL_PLATFORM") or super().get_tag()[2]


setup(distclass=OfThisPlatform, cmdclass={"bdist_wheel": AnyPython})
