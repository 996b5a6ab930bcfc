#!/usr/bin/env python3
"""Fails when the tree breaks the rules of ARCHITECTURE.md. Usage: architecture.py ROOT"""

import re
import sys
from pathlib import Path

# Which folder may include which. The order is the way of the data.
ALLOWED = {
    "core/base": set(),
    "core/contract": {"core/base"},
    "core/memory": {"core/base", "core/contract"},
    "core/model": {"core/base", "core/contract"},
    "core/train": {"core/base", "core/contract", "core/model", "core/memory"},
    "core/data": {"core/base", "core/contract"},
    "core/checkpoint": {"core/base", "core/contract"},
    "core/evaluate": {"core/base", "core/contract"},
    "core/runs": {"core/base", "core/contract"},
    "core/report": {"core/base", "core/contract", "core/evaluate", "core/runs"},
    "core/workbench": {"core/base", "core/contract", "core/data", "core/model", "core/memory", "core/train",
                       "core/checkpoint", "core/evaluate", "core/runs", "core/report"},
    "ui": {"core/workbench"},
    "app": {"core/workbench", "ui"},
}
# Single headers that a folder may include beyond that. One that is no longer used fails as stale.
EXCEPTIONS = {
    # The interface between reading examples and training, so that neither knows the other.
    ("core/data", "core/train/batch.h"),
}
# File calls beside the FileSystem that need not survive anything: (file, call) and why.
RAW_EXCEPTIONS = {
    ("core/workbench/computer.cpp", "std::ifstream"),  # reads /proc: facts about the machine
    ("core/workbench/drill.cpp", "std::filesystem::remove_all"),  # the drill's own scratch folder
}
# Plain value headers of core that screen and command line may read beside the workbench.
VALUE_FOLDERS = {"core/base", "core/contract", "core/evaluate", "core/report", "core/runs"}
VALUE_HEADERS = re.compile(r"core/(data|train|checkpoint|memory|model)/[a-z0-9_]+(?<!_torch)\.h$")

OPENCV_FOLDERS = {"core/data", "core/workbench"}  # the workbench asks for OpenCV's version only
SURVIVING_FOLDERS = {"core/checkpoint", "core/contract", "core/runs", "core/workbench"}
SOURCE_ROOTS = ("core", "ui", "app", "tests")

TYPE = re.compile(r"^(?:struct|class|enum class) (\w+)(?: final)?(?:\s*:(?!:)[^;{]*)?\s*\{", re.M)
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.M)
TORCH = re.compile(r"^(torch|ATen|c10|caffe2)/")
QT = re.compile(r"^(Qt?[A-Z]\w*(/|$)|QtTest)")
RAW_FILE_CALL = re.compile(
    r"\bstd::(?:basic_)?[oi]?fstream\b"
    r"|\b(?:std::)?f(?:re)?open\s*\("
    r"|(?<![\w:.>])::(?:open|openat|creat|rename|renameat2?|unlink|mkdir|rmdir|truncate|ftruncate|fsync|link|symlink)\s*\("
    r"|\bstd::(?:remove|rename)\s*\(\s*[a-z_]*(?:path|file|name|tmp)"
    r"|\bstd::filesystem::(?:remove|remove_all|rename|copy|copy_file|create_director\w+|resize_file)\s*\(")


def without_comments_and_strings(text):
    """The code with comments and string contents blanked; line breaks stay."""
    pattern = re.compile(r'R"\((?:.|\n)*?\)"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|//[^\n]*|/\*(?:.|\n)*?\*/')
    return pattern.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)


def folder_of(path):
    """core/data/synthetic/x.cpp -> core/data; app/x.cpp -> app."""
    parts = path.split("/")
    return "/".join(parts[:2]) if parts[0] in ("core", "tests") else parts[0]


def registered_tests(cmake):
    """Names given to receiptbench_test, also by a plain foreach over names."""
    cmake = re.sub(r"#[^\n]*", "", cmake)
    names = set(re.findall(r"\breceiptbench_test\(\s*([a-z0-9_]+)", cmake))
    for variable, items, body in re.findall(r"\bforeach\(\s*(\w+)\s([^)]*)\)(.*?)\bendforeach\(", cmake, re.S):
        if re.search(rf"\breceiptbench_test\(\s*\$\{{{variable}\}}", body):
            names.update(items.split())
    return names


class Lint:
    def __init__(self, root, exceptions=frozenset(EXCEPTIONS), raw_exceptions=frozenset(RAW_EXCEPTIONS)):
        self.root = Path(root)
        self.exceptions = exceptions
        self.raw_exceptions = raw_exceptions
        self.problems = []
        self.used_exceptions = set()
        self.edges = {}
        self.types = {}

    def report(self, path, text, offset, message):
        line = text.count("\n", 0, offset) + 1
        self.problems.append(f"{path}:{line}: {message}")

    def sources(self):
        for top in SOURCE_ROOTS:
            for path in sorted((self.root / top).rglob("*")):
                if path.suffix in (".h", ".cpp"):
                    yield path.relative_to(self.root).as_posix(), path.read_text(encoding="utf-8")

    def run(self):
        for path, text in self.sources():
            for match in INCLUDE.finditer(text):
                self.check_include(path, text, match.start(1), match.group(1))
            self.check_raw_file_calls(path, text)
            if path.endswith(".h") and not path.startswith("tests/"):
                self.check_types(path, text)
        self.check_cycles()
        self.check_lists()
        for place, what in sorted((self.exceptions | self.raw_exceptions) - self.used_exceptions):
            self.problems.append(f"stale exception: {place} no longer uses {what}")
        return self.problems

    def check_include(self, path, text, offset, header):
        folder = folder_of(path)
        in_tests = path.startswith("tests/")
        source_or_torch_header = path.endswith((".cpp", "_torch.h"))
        if TORCH.match(header):
            if not path.startswith(("core/", "tests/")):
                self.report(path, text, offset, f"only core may include Torch ({header})")
            elif not source_or_torch_header:
                self.report(path, text, offset, f"Torch in a header not named *_torch.h ({header})")
        if header.endswith("_torch.h") and (not path.startswith(("core/", "tests/")) or not source_or_torch_header):
            self.report(path, text, offset, f"{header} may be included by core's .cpp and *_torch.h files only")
        if header.startswith("opencv2/") and folder not in OPENCV_FOLDERS and not in_tests:
            self.report(path, text, offset, f"{folder} may not include OpenCV")
        if folder.startswith("core/") and QT.match(header):
            self.report(path, text, offset, f"core may not include Qt ({header})")
        if header.startswith(("core/", "ui/", "app/")):
            self.check_folder(path, text, offset, folder, header)

    def check_folder(self, path, text, offset, folder, header):
        target = folder_of(header)
        if not (self.root / header).is_file():
            self.report(path, text, offset, f"{header} does not exist")
        if folder == target or path.startswith("tests/"):
            return
        self.edges.setdefault(folder, set()).add(target)
        if folder not in ALLOWED:
            self.report(path, text, offset, f"folder {folder} is not in the table of ARCHITECTURE.md and this lint")
        elif (folder, header) in self.exceptions:
            self.used_exceptions.add((folder, header))
        elif target not in ALLOWED[folder] and not (
                folder in ("app", "ui") and (target in VALUE_FOLDERS or VALUE_HEADERS.match(header))):
            self.report(path, text, offset, f"{folder} may not include {target} ({header})")

    def check_raw_file_calls(self, path, text):
        if folder_of(path) not in SURVIVING_FOLDERS:
            return
        for match in RAW_FILE_CALL.finditer(without_comments_and_strings(text)):
            call = match.group().rstrip("( ")
            if (path, call) in self.raw_exceptions:
                self.used_exceptions.add((path, call))
            else:
                self.report(path, text, match.start(), f"raw file call \"{call}\": go through FileSystem")

    def check_types(self, path, text):
        """Two types of one name crash only where one program links both: everything is in one namespace."""
        for match in TYPE.finditer(text):
            first = self.types.setdefault(match.group(1), path)
            if first != path:
                self.report(path, text, match.start(), f"type {match.group(1)} is defined in {first} too")

    def check_cycles(self):
        """Between folders; an allowed table without cycles does not help once exceptions are added."""
        done, active = set(), []

        def visit(folder):
            if folder in active:
                cycle = active[active.index(folder):] + [folder]
                self.problems.append("include cycle: " + " -> ".join(cycle))
                return
            if folder in done:
                return
            active.append(folder)
            for target in sorted(self.edges.get(folder, ())):
                if (folder, target) not in self.exception_edges():
                    visit(target)
            active.pop()
            done.add(folder)

        for folder in sorted(self.edges):
            visit(folder)

    def exception_edges(self):
        """Edges that exist through an excepted interface header alone."""
        return {(folder, folder_of(header)) for folder, header in self.exceptions
                if folder_of(header) not in ALLOWED.get(folder, ())}

    def check_lists(self):
        """A source or test that is in no list is never built: it protects nothing."""
        for path in sorted((self.root / "tests").rglob("*_test.cpp")):
            listing = path.parent / "CMakeLists.txt"
            text = listing.read_text(encoding="utf-8") if listing.is_file() else ""
            if path.name[:-len("_test.cpp")] not in registered_tests(text):
                self.problems.append(f"{path.relative_to(self.root)}: not registered in {listing.relative_to(self.root)}")
        for top in ("core", "ui", "app"):
            for path in sorted((self.root / top).rglob("*.cpp")):
                self.check_listed(path)

    def check_listed(self, path):
        folder = path.parent
        while not (folder / "CMakeLists.txt").is_file() and folder != self.root:
            folder = folder.parent
        text = re.sub(r"#[^\n]*", "", (folder / "CMakeLists.txt").read_text(encoding="utf-8"))
        if path.relative_to(folder).as_posix() not in text.replace(")", " ").split():
            self.problems.append(f"{path.relative_to(self.root)}: not listed in "
                                 f"{(folder / 'CMakeLists.txt').relative_to(self.root)}")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    problems = Lint(sys.argv[1]).run()
    for problem in problems:
        print(problem)
    print(f"{len(problems)} problems")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
