"""Rust: the crate of examples/09_rust on the host, and on an emulated Cortex-M3 with the same answers. Debian has no core
library for the latter, but its sources: that is compiled here, once, into build/rust."""
import glob
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

from gen import wheel
from test_cmake import run

ROOT = str(wheel.ROOT)
HERE = os.path.join(ROOT, "examples", "09_rust")
RUSTC = "/usr/bin/rustc"  # Debian's, whose sources are at hand
TARGET = "thumbv7m-none-eabi"
STUB = "#![feature(compiler_builtins)]\n#![compiler_builtins]\n#![no_std]\n"  # the real one is memcpy and its like


class Rust(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def model(self, compiler, *flags):
        run(*compiler, "-std=c99", "-O2", "-ffreestanding", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror", *flags, "-I" + ROOT,
            "-I" + os.path.join(ROOT, "examples", "06_arduino_motor"), "-c", os.path.join(HERE, "src", "model.c"), "-o",
            self.path("model.o"))

    def on_host(self):
        self.model(["cc"], "-fPIC")
        run("ar", "rcs", self.path("libmodel.a"), self.path("model.o"))
        run(RUSTC, "--edition", "2021", "-D", "warnings", "--crate-type", "rlib", "--crate-name", "margin_model", "-L",
            self.folder, "-l", "static=model", "-o", self.path("libmargin_model.rlib"), os.path.join(HERE, "src", "lib.rs"))
        run(RUSTC, "--edition", "2021", "-D", "warnings", "--extern", f"margin_model={self.path('libmargin_model.rlib')}", "-o",
            self.path("host"), os.path.join(HERE, "src", "main.rs"))
        return run(self.path("host"))

    def core(self):
        """The core library for the target, of Debian's sources."""
        source, = glob.glob("/usr/src/rustc-*/library/core/src/lib.rs")
        place = os.path.join(ROOT, "build", "rust", run(RUSTC, "--version").split()[1])
        env = {**os.environ, "RUSTC_BOOTSTRAP": "1"}
        if not os.path.exists(os.path.join(place, "libcompiler_builtins.rlib")):
            os.makedirs(place, exist_ok=True)
            common = ["--edition", "2021", "--crate-type", "rlib", "--target", TARGET, "-C", "opt-level=0", "-C", "panic=abort", "-A",
                      "warnings", "--out-dir", place]
            run(RUSTC, "--crate-name", "core", *common, source, env=env)
            with open(self.path("stub.rs"), "w", encoding="ascii") as file:
                file.write(STUB)
            run(RUSTC, "--crate-name", "compiler_builtins", *common, "--extern", f"core={place}/libcore.rlib", self.path("stub.rs"),
                env=env)
        return place

    def on_device(self):
        cpu, place = ["-mthumb", "-mcpu=cortex-m3"], self.core()
        gcc = ["arm-none-eabi-gcc", *cpu]
        self.model(gcc)
        options = ["--edition", "2021", "--target", TARGET, "-C", "opt-level=2", "-C", "panic=abort", "-L", place, "--out-dir",
                   self.path("arm")]
        run(RUSTC, *options, "--crate-type", "rlib", "--crate-name", "margin_model", os.path.join(HERE, "src", "lib.rs"))
        run(RUSTC, *options, "--crate-type", "staticlib", "--crate-name", "device", "--extern",
            f"margin_model={self.path('arm')}/libmargin_model.rlib", os.path.join(HERE, "src", "device.rs"))
        sources = [os.path.join(ROOT, "ports", *name) for name in (("cortex-m", "start.c"), ("common", "memory.c"))]
        run(*gcc, "-std=c99", "-O2", "-ffreestanding", "-nostdlib", "-nostartfiles", "-Wl,--gc-sections",
            "-Wl,-T," + os.path.join(ROOT, "ports", "cortex-m", "cortex-m.ld"), "-Wl,--defsym=PORT_FLASH=0",
            "-Wl,--defsym=PORT_FLASH_SIZE=0x40000", "-Wl,--defsym=PORT_RAM=0x20000000", "-Wl,--defsym=PORT_RAM_SIZE=0x10000",
            "-I" + os.path.join(ROOT, "ports", "cortex-m"), "-I" + os.path.join(ROOT, "ports", "common"), *sources, self.path("model.o"),
            os.path.join(self.path("arm"), "libdevice.a"), "-lgcc", "-o", self.path("device.elf"))
        return run("qemu-system-arm", "-M", "mps2-an385", "-display", "none", "-monitor", "none", "-serial", "none", "-chardev",
                   "stdio,id=sh", "-semihosting-config", "enable=on,target=native,chardev=sh", "-kernel", self.path("device.elf"),
                   stdin=subprocess.DEVNULL, timeout=60)

    def test_host_and_cortex_m_agree(self):
        said = self.on_host()
        self.assertRegex(said, r"^self-test passed\nworn \d+\n$")
        self.assertEqual(self.on_device(), said)

    def test_cargo_runs_it(self):
        """By Debian's cargo, with nothing to fetch; in a copy, since cargo writes beside Cargo.toml."""
        for name in ("06_arduino_motor", "09_rust"):
            shutil.copytree(os.path.join(ROOT, "examples", name), self.path(f"examples/{name}"))
        for name in ("margin.h", "margin_impl.h"):
            shutil.copy(os.path.join(ROOT, name), self.folder)
        env = {name: value for name, value in os.environ.items() if not name.startswith(("CARGO", "RUST"))}
        env.update(CARGO_HOME=self.path("cargo"), RUSTC=RUSTC, PATH="/usr/bin:/bin")
        said = run("/usr/bin/cargo", "run", "--offline", "--quiet", cwd=self.path("examples/09_rust"), env=env)
        self.assertRegex(said, r"^self-test passed\nworn \d+\n$")


if __name__ == "__main__":
    sys.exit(unittest.main())
