"""C text: what is spelled is what a C and a C++ compiler read."""
import os
import random
import struct
import subprocess
import tempfile
import unittest

from gen import build, cspell

PROGRAM = """#include <stdint.h>
#include <stdio.h>
#include <string.h>
%s
int main(void) {
    size_t i;
    for (i = 0; i < sizeof reals / sizeof *reals; i++) { uint32_t b; memcpy(&b, reals + i, 4); printf("%%08lx\\n", (unsigned long)b); }
    for (i = 0; i < 5; i++) { printf("%%lld\\n", (long long)wide[i]); }
    for (i = 0; i < 3; i++) { printf("%%d\\n", (int)small[i]); }
    for (i = 0; texts[i]; i++) { const char *p; for (p = texts[i]; *p; p++) { printf("%%02x", (unsigned char)*p); } printf("\\n"); }
    return 0;
}
"""


class CText(unittest.TestCase):
    def test_compilers_read_back_what_was_meant(self):
        rng = random.Random(2)
        reals = [0.0, -0.0, 1.0, 3.4028234663852886e38, 1.401298464324817e-45, 1.1754943508222875e-38]
        while len(reals) < 5000:
            value = struct.unpack("<f", struct.pack("<I", rng.getrandbits(32)))[0]
            if value - value == 0:
                reals.append(value)
        wide = [-2**63, 2**63 - 1, 0, -1, 2**40]
        small = [-128, 127, 5]
        texts = ["plain", 'say "hi" \\ ??/ %d', "größe\n\t1\x01" + "1", "9°9"]
        source = PROGRAM % "\n".join([
            "/* %s */" % cspell.c_comment("*/ /* // ??/ \\"),
            cspell.c_table("static const float reals[%d]", [cspell.c_real(v) for v in reals]),
            cspell.c_table("static const int64_t wide[%d]", [cspell.c_int(v, "int64_t") for v in wide]),
            cspell.c_table("static const int8_t small[%d]", [cspell.c_int(v, "int8_t") for v in small]),
            cspell.c_table("static const char *const texts[%d]", [cspell.c_text(t) for t in texts] + ["0"])])
        self.assertTrue(all(len(line) <= 140 for line in source.splitlines()))
        expected = [struct.pack(">f", v).hex() for v in reals] + [str(v) for v in wide + small] \
            + [t.encode().hex() for t in texts]
        with tempfile.TemporaryDirectory() as folder:
            for name, flags in (("t.c", ["-std=c99"]), ("t.cc", ["-x", "c++", "-std=c++11"])):
                path = os.path.join(folder, name)
                with open(path, "w", encoding="ascii") as file:
                    file.write(source)
                warn = ["-Wall", "-Wextra", "-Wpedantic", "-Wtrigraphs", "-Wcomment", "-Werror"]
                subprocess.run([*build.compiler(), *flags, *warn, path, "-o", path + ".exe"], check=True)
                out = subprocess.run([path + ".exe"], check=True, capture_output=True, text=True).stdout
                self.assertEqual(out.split(), expected, name)

    def test_what_c_cannot_say_is_refused(self):
        for value in (float("nan"), float("inf"), 1e39):
            with self.assertRaises(ValueError):
                cspell.c_real(value)
        with self.assertRaises(ValueError):
            cspell.c_int(-1, "uint8_t")
        with self.assertRaises(ValueError):
            cspell.c_table("int t[%d]", [])


if __name__ == "__main__":
    unittest.main()
