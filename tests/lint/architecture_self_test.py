#!/usr/bin/env python3
"""Each breach is planted in a small tree and has to be found; the clean tree has to pass."""

import tempfile
import unittest
from pathlib import Path

from architecture import Lint

CLEAN = {
    "CMakeLists.txt": "",
    "core/base/CMakeLists.txt": "receiptbench_library(base SOURCES text.cpp)",
    "core/base/text.h": "#pragma once\n#include <string>\n",
    "core/base/text.cpp": '#include "core/base/text.h"\n#include <fstream>\nstd::ofstream file;\n',
    "core/train/CMakeLists.txt": "receiptbench_library(train SOURCES step.cpp sub/deep.cpp)",
    "core/train/batch.h": "#pragma once\n",
    "core/train/step_torch.h": "#pragma once\n#include <torch/torch.h>\n",
    "core/train/step.cpp": '#include "core/train/step_torch.h"\n#include "core/base/text.h"\n',
    "core/train/sub/deep.cpp": "",
    "core/data/CMakeLists.txt": "receiptbench_library(data SOURCES read.cpp)",
    "core/data/read.cpp": '#include <opencv2/core.hpp>\n#include "core/train/batch.h"\n',
    "core/runs/CMakeLists.txt": "receiptbench_library(runs SOURCES runs.cpp)",
    "core/runs/runs.cpp": '#include "core/base/text.h"\n// std::ofstream\nconst char* text = "fopen(";\nvoid f() { files.remove(path); }\n',
    "app/CMakeLists.txt": "add_executable(receiptbench main.cpp)",
    "app/main.cpp": '#include "core/base/text.h"\n',
    "tests/base/CMakeLists.txt": "receiptbench_test(text USES base)",
    "tests/base/text_test.cpp": "#include <torch/torch.h>\n#include <QtTest>\n",
}


class ArchitectureSelfTest(unittest.TestCase):
    def problems(self, changes, raw_exceptions=frozenset()):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in {**CLEAN, **changes}.items():
                if text is not None:
                    path = Path(folder, name)
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_text(text, encoding="utf-8")
            return Lint(folder, raw_exceptions=raw_exceptions).run()

    def assert_found(self, changes, *parts):
        problems = self.problems(changes)
        for part in parts:
            self.assertTrue(any(part in problem for problem in problems), f"{part!r} not in {problems}")

    def test_clean_tree_passes(self):
        self.assertEqual(self.problems({}), [])

    def test_torch_in_a_plain_header(self):
        self.assert_found({"core/train/batch.h": "#include <ATen/ATen.h>\n"}, "core/train/batch.h:1: Torch in a header")

    def test_torch_header_in_a_plain_header(self):
        self.assert_found({"core/train/batch.h": '#include "core/train/step_torch.h"\n'}, "step_torch.h may be included")

    def test_torch_outside_of_core(self):
        self.assert_found({"app/main.cpp": "\n#include <torch/torch.h>\n"}, "app/main.cpp:2: only core may include Torch")
        self.assert_found({"app/main.cpp": '#include "core/train/step_torch.h"\n'}, "step_torch.h may be included")

    def test_opencv_in_the_window_and_program(self):
        self.assert_found({"app/main.cpp": "#include <opencv2/core.hpp>\n"}, "app may not include OpenCV")
        self.assert_found({"core/base/text.h": "#include <opencv2/core.hpp>\n"}, "core/base may not include OpenCV")

    def test_qt_in_core(self):
        self.assert_found({"core/base/text.h": "#include <QString>\n"}, "core may not include Qt")
        self.assert_found({"core/base/text.h": "#include <QtCore/QString>\n"}, "core may not include Qt")

    def test_folder_that_may_not_be_used(self):
        self.assert_found({"core/train/batch.h": '#include "core/data/x.h"\n', "core/data/x.h": ""},
                          "core/train may not include core/data")
        self.assert_found({"core/data/read.cpp": '#include "core/train/batch.h"\n#include "core/train/other.h"\n',
                           "core/train/other.h": ""}, "core/data may not include core/train (core/train/other.h)")

    def test_cycle(self):
        self.assert_found({"core/base/text.h": '#include "core/train/batch.h"\n'},
                          "include cycle: core/base -> core/train -> core/base")

    def test_unknown_folder_and_missing_header(self):
        self.assert_found({"core/new/CMakeLists.txt": "x.cpp", "core/new/x.cpp": '#include "core/base/gone.h"\n'},
                          "core/new is not in the table", "core/base/gone.h does not exist")

    def test_stale_exception(self):
        self.assert_found({"core/data/read.cpp": ""}, "stale exception: core/data")

    def test_unregistered_test(self):
        self.assert_found({"tests/base/CMakeLists.txt": "# receiptbench_test(text USES base)\n"},
                          "tests/base/text_test.cpp: not registered")

    def test_tests_registered_in_a_loop(self):
        loop = "foreach(name text other)\n  receiptbench_test(${name} USES base)\nendforeach()\n"
        self.assertEqual(self.problems({"tests/base/CMakeLists.txt": loop}), [])
        self.assert_found({"tests/base/CMakeLists.txt": loop.replace("text ", "")}, "tests/base/text_test.cpp: not registered")

    def test_unlisted_source(self):
        self.assert_found({"core/train/forgotten.cpp": ""}, "core/train/forgotten.cpp: not listed")
        self.assert_found({"core/train/sub/other.cpp": ""}, "core/train/sub/other.cpp: not listed")

    def test_two_types_of_one_name(self):
        twin = {"core/train/batch.h": "#pragma once\nstruct Bounds : Base {\n};\n",
                "core/base/text.h": "#pragma once\nclass Bounds {\n};\n"}
        self.assert_found(twin, "core/train/batch.h:2: type Bounds is defined in core/base/text.h too")
        twin["core/train/batch.h"] = "#pragma once\nstruct Bounds::State {\n};\nclass Bounds;\n"
        self.assertEqual(self.problems(twin), [])

    def test_raw_file_calls(self):
        for call in ("std::ofstream out(path);", "fopen(path, \"w\");", "::rename(a, b);", "::open(a, 0);",
                     "std::filesystem::remove_all(path);", "std::filesystem::create_directories(path);"):
            self.assert_found({"core/runs/runs.cpp": f"void f() {{\n    {call}\n}}\n"}, "core/runs/runs.cpp:2: raw file call")
        excepted = frozenset({("core/runs/runs.cpp", "std::ofstream")})
        self.assertEqual(self.problems({"core/runs/runs.cpp": "std::ofstream out;\n"}, excepted), [])
        self.assertIn("stale exception: core/runs/runs.cpp no longer uses std::ofstream", self.problems({}, excepted))


if __name__ == "__main__":
    unittest.main()
