"""CMake and pkg-config: the archive that `make dist` writes, used in every way that CMake offers, as C and as C++, from
folders with a blank in their names."""
import io
import os
import subprocess
import tarfile
import tempfile
import unittest

from gen import dist, wheel

MAIN = """#define MARGIN_IMPLEMENTATION
#define MARGIN_PREDICT_ONLY
#include "margin.h"
int main(void)
{
    static const margin_real w[2] = {1, -1}, bias[1] = {0.5f};
    const margin_linear model = {w, bias, 2, {2, MARGIN_SCHEME_BINARY, 0, 0, 0, 0, 0}};
    const margin_real x[2] = {3, 1};
    margin_real score;
    margin_linear_scores(&model, x, &score);
    return score == 2.5f && MARGIN_VERSION == %d ? 0 : 1;
}
"""
PROJECT = """cmake_minimum_required(VERSION 3.15)
project(firmware LANGUAGES %(language)s)
%(how)s
add_executable(firmware main.%(ending)s)
target_compile_options(firmware PRIVATE -Wall -Wextra -Wpedantic -Werror)
target_link_libraries(firmware PRIVATE margin::margin)
"""
ENDINGS = {"C": "c", "CXX": "cpp"}


def run(*command, **more):
    more.setdefault("env", {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")})
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)
    if done.returncode:
        raise AssertionError(f"{' '.join(map(str, command))}\n{done.stdout}")
    return done.stdout


class CMake(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = os.path.join(folder.name, "with a blank")
        os.mkdir(cls.folder)
        entries = {**dist.files(*dist.HEADERS, *dist.PAPERS), **dist.files("CMakeLists.txt")}
        with tarfile.open(fileobj=io.BytesIO(wheel.tar_bytes(entries, "margin source"))) as archive:
            archive.extractall(cls.folder)
        cls.source, cls.prefix = (os.path.join(cls.folder, name) for name in ("margin source", "the prefix"))
        build = os.path.join(cls.folder, "build margin")
        run("cmake", "-S", cls.source, "-B", build, f"-DCMAKE_INSTALL_PREFIX={cls.prefix}")
        run("cmake", "--build", build)
        run("cmake", "--install", build)

    def consume(self, how, *options):
        """A program that takes margin::margin compiles without a warning and ends with 0; its flags."""
        major, minor, patch = map(int, wheel.version().split("."))
        for language, ending in ENDINGS.items():
            place = tempfile.mkdtemp(prefix="user ", dir=self.folder)
            for name, text in (("CMakeLists.txt", PROJECT % {"how": how, "language": language, "ending": ending}),
                               (f"main.{ending}", MAIN % (10000 * major + 100 * minor + patch))):
                with open(os.path.join(place, name), "w", encoding="ascii") as file:
                    file.write(text)
            build = os.path.join(place, "build")
            run("cmake", "-S", place, "-B", build, "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON", *options)
            run("cmake", "--build", build)
            run(os.path.join(build, "firmware"))
            with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
                self.assertIn("-ffp-contract=off", file.read())

    def test_add_subdirectory(self):
        self.consume(f'add_subdirectory("{self.source}" margin)')

    def test_fetch_content_from_a_local_path(self):
        self.consume(f'include(FetchContent)\nFetchContent_Declare(margin SOURCE_DIR "{self.source}")\n'
                     "FetchContent_MakeAvailable(margin)")

    def test_find_package_after_an_installation(self):
        self.consume(f"find_package(margin {wheel.version()} REQUIRED)", f"-DCMAKE_PREFIX_PATH={self.prefix}")

    def test_find_package_refuses_another_major_version(self):
        with self.assertRaisesRegex(AssertionError, "with requested version"):
            self.consume("find_package(margin 9.0 REQUIRED)", f"-DCMAKE_PREFIX_PATH={self.prefix}")

    def test_pkg_config_after_an_installation(self):
        place = os.path.join(self.prefix, "share", "pkgconfig")
        with open(os.path.join(place, "margin.pc"), "rb") as file:
            self.assertEqual(file.read(), dist.pkg_config())
        env = {**os.environ, "PKG_CONFIG_PATH": place}
        self.assertEqual(run("pkg-config", "--modversion", "margin", env=env).strip(), wheel.version())
        main = os.path.join(self.folder, "pc.c")
        major, minor, patch = map(int, wheel.version().split("."))
        with open(main, "w", encoding="ascii") as file:
            file.write(MAIN % (10000 * major + 100 * minor + patch))
        run("sh", "-c", 'eval cc -std=c99 $(pkg-config --cflags margin) pc.c -o pc && ./pc', cwd=self.folder, env=env)


if __name__ == "__main__":
    unittest.main()
