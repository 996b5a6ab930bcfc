// The handed cases: odd images, names and manifests (unpacked into a temporary folder) and what is
// expected of each.
#pragma once

#include <QProcess>
#include <QTemporaryDir>

#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/shared_dir.h"

using CaseRow = std::map<std::string, std::string>;  // column -> cell

// Not the product's reader: the expectations must not depend on what they test.
inline std::vector<std::vector<std::string>> csvCells(const std::string& text) {
    std::vector<std::vector<std::string>> rows(1, std::vector<std::string>(1));
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '"') {
            const bool doubled = quoted && i + 1 < text.size() && text[i + 1] == '"';
            if (doubled) {
                rows.back().back() += text[++i];
            } else {
                quoted = !quoted;
            }
        } else if (c == ',' && !quoted) {
            rows.back().emplace_back();
        } else if (c == '\n' && !quoted) {
            rows.emplace_back(1);
        } else {
            rows.back().back() += c;
        }
    }
    rows.pop_back();  // after the last line's end
    return rows;
}

inline std::string fileText(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

inline std::vector<CaseRow> caseRows(const std::string& name) {
    const auto cells = csvCells(fileText(sharedDir() + "/cases/" + name));
    std::vector<CaseRow> rows;
    for (std::size_t i = 1; i < cells.size(); ++i) {
        CaseRow row;
        for (std::size_t c = 0; c < cells[0].size(); ++c) {
            row[cells[0][c]] = cells[i].at(c);
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

// Unpacked once for a test program. git and cp mangle the names, so it is always from the archive.
inline const std::string& caseFiles() {
    static const QTemporaryDir folder;
    static const std::string root = [] {
        const QString archive = QString::fromStdString(sharedDir() + "/cases/files.tar.gz");
        QProcess tar;
        tar.start("tar", {"-xzf", archive, "-C", folder.path()});
        const bool done = tar.waitForFinished() && tar.exitCode() == 0;
        return done ? folder.path().toStdString() + "/files/" : std::string();
    }();
    return root;
}
