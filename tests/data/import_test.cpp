#include "core/data/import.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <set>

#include "core/base/text.h"
#include "core/data/import/candidates.h"
#include "tests/data/case_table.h"

using namespace receiptbench;

namespace {

struct Outcome {
    std::optional<Catalogue> catalogue;
    std::string error;  // message and hint
    ErrorCode code = ErrorCode::Failed;

    std::string counts() const {
        return catalogue ? std::to_string(catalogue->items.size()) + "+" +
                               std::to_string(catalogue->rejects.size())
                         : "refused: " + error;
    }
    bool warnsOf(const std::string& text) const {
        return catalogue && std::any_of(catalogue->warnings.begin(), catalogue->warnings.end(),
                                        [&](const std::string& line) {
                                            return line.find(text) != std::string::npos;
                                        });
    }
    bool says(const std::string& text) const { return error.find(text) != std::string::npos; }
};

Outcome importFrom(const ImportOptions& options) {
    Outcome outcome;
    try {
        outcome.catalogue = importImages(options);
    } catch (const Error& error) {
        outcome.error = std::string(error.what()) + " | " + error.hint();
        outcome.code = error.code();
    }
    return outcome;
}

Outcome importFrom(const std::string& source) {
    ImportOptions options;
    options.source = source;
    return importFrom(options);
}

std::set<std::string> labelsOf(const Catalogue& catalogue) {
    std::set<std::string> labels;
    for (const CatalogueItem& item : catalogue.items) {
        labels.insert(item.label);
    }
    return labels;
}

std::vector<std::string> reasonsOf(const Catalogue& catalogue) {
    std::vector<std::string> reasons;
    for (const Reject& reject : catalogue.rejects) {
        reasons.push_back(toString(reject.reason));
    }
    return reasons;
}

// A folder of small pictures and what is written beside them.
class Photos {
 public:
    explicit Photos(int count = 4) {
        for (int i = 0; i < count; ++i) {
            add("p" + std::to_string(i) + ".png", i);
        }
    }
    std::string path(const std::string& name) const { return root() + "/" + name; }
    std::string root() const { return folder_.path().toStdString(); }
    void add(const std::string& name, int shade) const {
        std::filesystem::create_directories(std::filesystem::path(path(name)).parent_path());
        writePng(path(name),
                 Image{2, 2, std::vector<std::uint8_t>(12, static_cast<std::uint8_t>(shade))});
    }
    std::string write(const std::string& name, const std::string& text) const {
        std::ofstream(path(name), std::ios::binary) << text;
        return path(name);
    }

 private:
    QTemporaryDir folder_;
};

// What POLICIES.md says of the rows that leave a choice: accepted+rejected, or "refused".
const std::map<std::string, std::string> kDecided{
    {"manifests/tabs.tsv", "8+0"},       {"manifests/header_case_space.csv", "8+0"},
    {"manifests/long_field.csv", "5+0"}, {"manifests/label_trailing_space.csv", "8+0"},
    {"tree/val_extra_class/", "5+0"},    {"manifests/one_class.csv", "8+0"},
    {"manifests/one_row.csv", "1+0"},
};

}  // namespace

class ImportTest : public QObject {
    Q_OBJECT

 private Q_SLOTS:
    void handedManifests_data() {
        QTest::addColumn<QString>("name");
        if (!std::filesystem::exists(sharedDir() + "/cases")) {
            QTest::newRow("no cases") << QString();
            return;
        }
        for (const CaseRow& row : caseRows("expected_manifests.csv")) {
            QTest::newRow(row.at("file").c_str()) << QString::fromStdString(row.at("file"));
        }
    }

    void handedManifests() {
        REQUIRE_SHARED("cases");
        QFETCH(QString, name);
        const auto rows = caseRows("expected_manifests.csv");
        const CaseRow& row = *std::find_if(rows.begin(), rows.end(), [&](const CaseRow& candidate) {
            return candidate.at("file") == name.toStdString();
        });
        ImportOptions options;
        options.source = caseFiles() + row.at("file");
        if (row.at("file") == "manifests/unknown_label.csv") {
            options.declaredLabels = {"bad", "good"};
        }
        const Outcome outcome = importFrom(options);
        const auto decided = kDecided.find(row.at("file"));
        if (decided != kDecided.end()) {
            QVERIFY(row.at("strength") == "policy" || row.at("expected") == "accept-or-reject");
            QCOMPARE(outcome.counts(), decided->second);
        } else if (row.at("expected") == "reject") {
            QVERIFY2(!outcome.catalogue, outcome.counts().c_str());
            QCOMPARE(outcome.code, ErrorCode::Data);
        } else {
            QCOMPARE(outcome.counts(), row.at("accepted_rows") + "+" + row.at("rejected_rows"));
        }
        if (row.at("expected") == "accept-with-warning") {
            QVERIFY(!outcome.catalogue->warnings.empty());
        }
    }

    void messagesNameWhatIsWrong_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("text");
        const std::pair<const char*, const char*> rows[] = {
            {"unbalanced_quote.csv", "line 5"},       {"missing_column.csv", "\"label\""},
            {"missing_column.csv", "path, identity"}, {"semicolon.csv", "path;label;identity"},
            {"semicolon.csv", "semicolons"},          {"no_header.csv", "pics/p00.png"},
            {"split_unknown.csv", "\"valid\""},       {"split_unknown.csv", "\"Train\""},
            {"identity_case.csv", "\"R00\""},         {"identity_trailing_space.csv", "\"r00 \""},
            {"identity_nbsp.csv", "line 2"},          {"identity_nfc_nfd.csv", "Unicode form"},
            {"json_array.jsonl", "JSON array"},       {"utf16le.csv", "not UTF-8"},
            {"header_only.csv", "no rows"},           {"empty.csv", "empty"},
        };
        for (const auto& [name, text] : rows) {
            QTest::newRow((std::string(name) + ": " + text).c_str())
                << QString(name) << QString(text);
        }
    }

    void messagesNameWhatIsWrong() {
        REQUIRE_SHARED("cases");
        QFETCH(QString, name);
        QFETCH(QString, text);
        const Outcome outcome = importFrom(caseFiles() + "manifests/" + name.toStdString());
        QVERIFY2(outcome.says(text.toStdString()), outcome.counts().c_str());
        QVERIFY(outcome.says(name.toStdString()));
    }

    void rejectsHaveTheirReasonAndPhysicalLine_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("rejects");
        const std::pair<const char*, const char*> rows[] = {
            {"abs_path.csv", "6 outside-root"},
            {"dotdot.csv", "6 outside-root, 7 outside-root"},
            {"backslash_path.csv", "6 missing"},
            {"missing_file.csv", "6 missing"},
            {"directory_path.csv", "6 not-a-file"},
            {"duplicate_path_spelling.csv", "10 duplicate, 11 duplicate, 12 duplicate"},
            {"empty_label.csv", "8 empty-label, 9 empty-label"},
            {"latin1.csv", "8 invalid-utf-8"},
            {"nul_byte.csv", "5 bad-row"},
            {"decimal_comma_weight.csv", "3 bad-row"},
            {"duplicate_keys.jsonl", "1 bad-row"},
            {"missing_key.jsonl", "2 bad-row"},
            {"types.jsonl", "2 bad-row, 3 bad-row, 4 bad-row, 5 bad-row"},
            {"nan.jsonl", "2 bad-row"},
            {"path_newline.jsonl", "1 outside-root"},
        };
        for (const auto& [name, rejects] : rows) {
            QTest::newRow(name) << QString(name) << QString(rejects);
        }
    }

    void rejectsHaveTheirReasonAndPhysicalLine() {
        REQUIRE_SHARED("cases");
        QFETCH(QString, name);
        QFETCH(QString, rejects);
        const Outcome outcome = importFrom(caseFiles() + "manifests/" + name.toStdString());
        QVERIFY2(outcome.catalogue.has_value(), outcome.error.c_str());
        std::string found;
        for (const Reject& reject : outcome.catalogue->rejects) {
            found += (found.empty() ? "" : ", ") + std::to_string(reject.line) + " " +
                     toString(reject.reason);
            QVERIFY(reject.message.find("root:") == std::string::npos);  // nothing of /etc/passwd
            QVERIFY(reject.message.find('\n') == std::string::npos);
        }
        QCOMPARE(found, rejects.toStdString());
    }

    void labelsAreTakenAsText() {
        REQUIRE_SHARED("cases");
        const auto labels = [](const char* name) {
            return labelsOf(*importFrom(caseFiles() + "manifests/" + name).catalogue);
        };
        QCOMPARE(labels("crlf_label_last.csv"), (std::set<std::string>{"bad", "good"}));
        QCOMPARE(labels("quoted_label_comma.csv"),
                 (std::set<std::string>{"bad, torn", "good, clean"}));
        QCOMPARE(labels("null_like_labels.csv"),
                 (std::set<std::string>{"NA", "None", "nan", "null"}));
        QCOMPARE(labels("numeric_labels.csv"), (std::set<std::string>{"01", "1", "1.0", "10"}));
        QCOMPARE(labels("label_trailing_space.csv"), (std::set<std::string>{"bad", "good"}));
        QCOMPARE(labels("unknown_label.csv"),
                 (std::set<std::string>{"BAD", "bad", "good", "goood"}));
    }

    void blankLinesKeepPhysicalNumbers() {
        REQUIRE_SHARED("cases");
        const Outcome outcome = importFrom(caseFiles() + "manifests/blank_lines.csv");
        QCOMPARE(outcome.catalogue->items.front().line, std::int64_t{3});
        QCOMPARE(outcome.catalogue->items.back().line, std::int64_t{12});
    }

    void everyHandedNameIsReadThroughAManifest() {
        REQUIRE_SHARED("cases");
        std::string text = "path,label\n";
        std::size_t count = 0;
        for (const auto& entry : std::filesystem::directory_iterator(caseFiles() + "names")) {
            std::string name = entry.path().filename().string();
            for (std::size_t at = name.find('"'); at != std::string::npos;
                 at = name.find('"', at + 2)) {
                name.insert(at, 1, '"');
            }
            text += "\"names/" + name + "\"," + (count++ % 2 == 0 ? "a" : "b") + "\n";
        }
        std::ofstream(caseFiles() + "names.csv", std::ios::binary) << text;
        const Outcome outcome = importFrom(caseFiles() + "names.csv");
        QCOMPARE(outcome.counts(), std::to_string(count - 1) + "+1");
        QCOMPARE(reasonsOf(*outcome.catalogue), std::vector<std::string>{"hidden"});
        QVERIFY(count >= 20);
    }

    void linksAreFollowedOnlyInside() {
        REQUIRE_SHARED("cases");
        const std::string manifest = caseFiles() + "special/links.csv";
        std::ofstream(manifest)
            << "path,label\nloop/a.png,x\nlink_inside.png,x\nlink_outside.png,x\nselfref.jpg,x\n"
               "dangling.jpg,y\nloop/self/sub/up/sub/b.png,y\n";
        const Outcome outcome = importFrom(manifest);
        QCOMPARE(outcome.counts(), std::string("3+3"));
        QCOMPARE(reasonsOf(*outcome.catalogue),
                 (std::vector<std::string>{"outside-root", "missing", "missing"}));
        QVERIFY(outcome.warnsOf("loop/a.png"));
        QVERIFY(outcome.warnsOf("link_inside.png"));
    }

    void aTreeWithLoopsEnds() {
        REQUIRE_SHARED("cases");
        const Outcome outcome = importFrom(caseFiles() + "special/");
        QCOMPARE(outcome.catalogue->items.size(), std::size_t{2});
        QCOMPARE(outcome.catalogue->items[0].path, std::string("loop/a.png"));
        QCOMPARE(outcome.catalogue->items[1].path, std::string("loop/sub/b.png"));
        QVERIFY(outcome.warnsOf("not followed"));
    }

    void treesReportWhatIsOdd() {
        REQUIRE_SHARED("cases");
        const Outcome order = importFrom(caseFiles() + "tree/order");
        QCOMPARE(labelsOf(*order.catalogue), (std::set<std::string>{"1", "10", "2", "Cat", "Zebra",
                                                                    "apple", "cat", "\u00dcnder"}));
        QVERIFY(order.warnsOf("empty_class"));
        QVERIFY(order.warnsOf("README.txt"));
        QVERIFY(order.warnsOf("Cat, cat"));
        QCOMPARE(order.catalogue->rejects[0].path, std::string("loose.png"));

        const Outcome leak = importFrom(caseFiles() + "tree/leak");
        QVERIFY(leak.warnsOf("train/good/x1.png (train) = val/good/y1.png (val)"));
        QCOMPARE(leak.catalogue->items[0].split, std::string("train"));
        QVERIFY(importFrom(caseFiles() + "tree/conflict").warnsOf("label conflict"));
        QVERIFY(importFrom(caseFiles() + "tree/val_extra_class")
                    .warnsOf("class \"b\" has no photo in train"));
        QVERIFY(importFrom(caseFiles() + "manifests/val_class_absent.csv")
                    .warnsOf("class \"torn\" has no photo in val"));
    }

    void theReceiptsAreReadWithAnImpliedLabel() {
        REQUIRE_SHARED("receipts");
        ImportOptions options;
        options.source = sharedDir() + "/receipts/manifest.csv";
        QVERIFY(importFrom(options).says("\"label\""));
        options.impliedLabel = "readable";
        const Outcome outcome = importFrom(options);
        QCOMPARE(outcome.counts(), std::string("151+0"));
        std::set<std::string> identities;
        for (const CatalogueItem& item : outcome.catalogue->items) {
            identities.insert(item.identity);
            QCOMPARE(item.label, std::string("readable"));
        }
        QCOMPARE(identities.size(), std::size_t{142});
    }

    void aSplitOfOneIdentityIsRefused() {
        const Photos photos;
        const Outcome outcome = importFrom(photos.write(
            "m.csv",
            "path,label,identity,split\np0.png,a,r1,train\np1.png,b,r1,val\np2.png,b,r2,train\n"));
        QVERIFY(outcome.says("two splits"));
        QVERIFY(outcome.says("\"r1\" (train on line 2, val on line 3)"));
    }

    void rowsWithoutTheSplitOthersHaveAreRejected() {
        const Photos photos;
        const Outcome outcome = importFrom(
            photos.write("m.csv", "path,label,split\np0.png,a,train\np1.png,b,val\np2.png,b,\n"));
        QCOMPARE(outcome.counts(), std::string("2+1"));
    }

    void equalBytesShareAnIdentityUnlessSplitsAreGiven() {
        const Photos photos;
        photos.add("copy0.png", 0);
        const std::string rows = "p0.png,a,r0\np1.png,b,r1\ncopy0.png,a,r2\np2.png,b,r2\n";
        const Outcome merged = importFrom(photos.write("m.csv", "path,label,identity\n" + rows));
        QVERIFY(merged.warnsOf("p0.png (r0) = copy0.png (r2)"));
        QCOMPARE(merged.catalogue->items[2].identity, std::string("r0"));
        QCOMPARE(merged.catalogue->items[3].identity, std::string("r0"));  // linked through r2
        QCOMPARE(merged.catalogue->items[1].identity, std::string("r1"));

        const Outcome given = importFrom(photos.write(
            "s.csv",
            "path,label,identity,split\np0.png,a,r0,train\np1.png,b,r1,val\ncopy0.png,a,r2,val\n"));
        QVERIFY(given.warnsOf("leaks"));
        QCOMPARE(given.catalogue->items[2].identity, std::string("r2"));
    }

    void withoutIdentitiesEachFileIsItsOwn() {
        const Photos photos;
        const Outcome outcome =
            importFrom(photos.write("m.csv", "file_name,label\np0.png,a\np1.png,b\n"));
        QCOMPARE(outcome.catalogue->items[1].identity, std::string("p1.png"));
    }

    void columnsAreMappedByName() {
        const Photos photos;
        ImportOptions options;
        options.source = photos.write("m.csv", "Bild,Klasse,label\np0.png,a,1\np1.png,b,2\n");
        QVERIFY(importFrom(options).says("Bild, Klasse, label"));
        options.columns = {{"path", "bild"}, {"label", "Klasse"}};
        QCOMPARE(labelsOf(*importFrom(options).catalogue), (std::set<std::string>{"a", "b"}));
        options.columns = {{"pfad", "Bild"}};
        QCOMPARE(importFrom(options).code, ErrorCode::Usage);
        options.columns = {{"path", "bild"}, {"label", "Klasse"}, {"identity", "receipt"}};
        QVERIFY(importFrom(options).says("\"receipt\""));
    }

    void quotedCellsMayHoldLines() {
        const Photos photos;
        photos.add("new\nline.png", 9);
        const Outcome outcome =
            importFrom(photos.write("m.csv",
                                    "path,label,note\n\"new\nline.png\",a,\"x\n\ny\"\np1.png,b,"
                                    "\"said \"\"no\"\"\"\nnone,b,\n"));
        QCOMPARE(outcome.counts(), std::string("2+1"));
        QCOMPARE(outcome.catalogue->items[0].line, std::int64_t{2});
        QCOMPARE(outcome.catalogue->items[1].line, std::int64_t{6});
        QCOMPARE(outcome.catalogue->rejects[0].line, std::int64_t{7});
    }

    void misplacedQuotesAreRefusedWhereTheyOpen() {
        const Photos photos;
        const auto message = [&](const std::string& text) {
            return importFrom(photos.write("m.csv", text)).error;
        };
        QVERIFY(message("path,label\np0.png,a\np1.png,\"b\np2.png,\"c\"\n").find("line 3") !=
                std::string::npos);
        QVERIFY(message("path,label\np0.png,a\n5\" wide.png,b\n").find("line 3") !=
                std::string::npos);
        QVERIFY(message("path,label\n\"a\nb\",\"open\n").find("line 3") != std::string::npos);
    }

    void cellsInExcessOrMissingRejectTheRow() {
        const Photos photos;
        const Outcome outcome = importFrom(
            photos.write("m.csv", "path,label\np0.png,a\np1.png,b,c\np2.png\n\n   \np3.png,b"));
        QCOMPARE(outcome.counts(), std::string("2+2"));
        QCOMPARE(outcome.catalogue->items[1].line, std::int64_t{7});
    }

    void lineEndsMayMix() {
        const Photos photos;
        const Outcome outcome =
            importFrom(photos.write("m.csv", "path,label\r\np0.png,a\np1.png,b\rp2.png,a\r\n"));
        QCOMPARE(outcome.counts(), std::string("3+0"));
        QCOMPARE(outcome.catalogue->items[2].line, std::int64_t{4});
    }

    void strictOrNothingLeftIsAnError() {
        const Photos photos;
        ImportOptions options;
        options.source = photos.write("m.csv", "path,label\np0.png,a\nnone.png,b\n");
        QCOMPARE(importFrom(options).counts(), std::string("1+1"));
        options.strict = true;
        QCOMPARE(importFrom(options).code, ErrorCode::Data);
        QVERIFY(importFrom(options).says("none.png"));
        options.strict = false;
        options.source = photos.write("m.csv", "path,label\nnone.png,b\n");
        QVERIFY(importFrom(options).says("nothing is left"));
        QCOMPARE(importFrom(options).code, ErrorCode::Data);
    }

    void sourcesThatAreNoneAreNamed() {
        const Photos photos(0);
        QCOMPARE(importFrom(photos.path("nowhere")).code, ErrorCode::Usage);
        QVERIFY(importFrom(photos.root()).says("holds no photos"));
        photos.add("p.png", 1);
        QCOMPARE(importFrom(photos.path("p.png")).code, ErrorCode::Usage);
    }

    void undecodableFilesAreRejectedByNameInTrees() {
        const Photos photos(0);
        photos.add("a/1.png", 1);
        photos.add("b/2.png", 2);
        photos.add("b/no suffix", 3);
        photos.write("b/Thumbs.db", "\xd0\xcf\x11\xe0 something");
        photos.write("b/page.jpg", "<!DOCTYPE html><html>404</html>");
        photos.write("b/.DS_Store", "x");
        const Outcome outcome = importFrom(photos.root());
        QCOMPARE(outcome.counts(), std::string("3+1"));
        QCOMPARE(outcome.catalogue->rejects[0].path, std::string("b/page.jpg"));
        QVERIFY(outcome.warnsOf("Thumbs.db"));
        QVERIFY(outcome.warnsOf(".DS_Store"));
    }

    void unknownSplitFoldersAreNoClasses() {
        const Photos photos(0);
        photos.add("train/a/1.png", 1);
        photos.add("validation/a/2.png", 2);
        QVERIFY(importFrom(photos.root()).says("\"validation\""));
    }

    void aFolderMayBringItsMetadata() {
        const Photos photos;
        photos.write("metadata.jsonl",
                     "{\"file_name\":\"p0.png\",\"label\":\"a\"}\n{\"file_name\":\"p1.png\","
                     "\"label\":\"b\"}\n");
        QCOMPARE(importFrom(photos.root()).counts(), std::string("2+0"));
    }

    void loosePhotosTakeTheImpliedLabel() {
        const Photos photos;
        ImportOptions options;
        options.source = photos.root();
        QVERIFY(importFrom(options).says("nothing is left"));
        options.impliedLabel = "readable";
        QCOMPARE(importFrom(options).counts(), std::string("4+0"));
    }

    void identitiesAreComparedAsPeopleReadThem_data() {
        QTest::addColumn<QString>("a");
        QTest::addColumn<QString>("b");
        QTest::addColumn<bool>("same");
        QTest::newRow("case") << "Shop 7"
                              << "shop 7" << true;
        QTest::newRow("blanks") << " shop  7\t"
                                << "shop 7" << true;
        QTest::newRow("no-break") << QString::fromUtf8("shop\u00a07\u00a0") << "shop 7" << true;
        QTest::newRow("zero width") << QString::fromUtf8("sh\u200bop") << "shop" << true;
        QTest::newRow("composed") << QString::fromUtf8("caf\u00e9")
                                  << QString::fromUtf8("cafe\u0301") << true;
        QTest::newRow("sharp s") << QString::fromUtf8("stra\u00dfe") << "STRASSE" << true;
        QTest::newRow("accent") << QString::fromUtf8("caf\u00e9") << "cafe" << false;
        QTest::newRow("where the blank is") << "1 11"
                                            << "11 1" << false;
        QTest::newRow("zeros") << "r01"
                               << "r1" << false;
    }

    void identitiesAreComparedAsPeopleReadThem() {
        QFETCH(QString, a);
        QFETCH(QString, b);
        QFETCH(bool, same);
        QCOMPARE(identityKey(a.toStdString()) == identityKey(b.toStdString()), same);
    }

    void rejectsAreWrittenAsCsv() {
        const std::vector<Reject> rejects{{"a,b.png", 3, RejectReason::Missing, "no \"such\" file"},
                                          {"new\nline.png", 0, RejectReason::Corrupt, "bad"}};
        QCOMPARE(
            rejectsCsv(rejects),
            std::string("path,line,reason,message\n\"a,b.png\",3,missing,\"no \"\"such\"\" file\"\n"
                        "\"new\nline.png\",0,corrupt,bad\n"));
        QCOMPARE(countByReason(rejects), std::string("corrupt 1, missing 1"));
    }

    void aLongFieldAndManyColumnsTakeLinearTime() {
        // Quadratic work on these would take minutes: the test's own time limit is the check.
        const Photos photos;
        const std::string longCell(20'000'000, 'x');
        QCOMPARE(importFrom(photos.write("m.csv", "path,label,note\np0.png,a,\"" + longCell +
                                                      "\"\np1.png,b,\n"))
                     .counts(),
                 std::string("2+0"));
        const std::string commas(200'000, ',');
        QCOMPARE(importFrom(photos.write("m.csv", "path,label" + commas + "\np0.png,a" + commas +
                                                      "\np1.png,b" + commas + "\n"))
                     .counts(),
                 std::string("2+0"));
    }
};

QTEST_APPLESS_MAIN(ImportTest)
#include "import_test.moc"
