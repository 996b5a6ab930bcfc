#include "core/data/freeze.h"

#include <fstream>
#include <map>
#include <set>

#include "core/base/hash.h"
#include "core/base/random.h"
#include "core/base/trace_file_system.h"
#include "core/data/pixel_cache.h"
#include "core/data/synthetic.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_dir.h"

using namespace receiptbench;

namespace {

std::string contentOf(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

void store(const std::string& path, const std::string& content) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
}

// A folder of small photos, each different.
class Photos {
 public:
    explicit Photos(int count, const std::string& label = "readable") {
        catalogue_.root = folder_.path();
        for (int i = 0; i < count; ++i) {
            add("photo-" + std::to_string(i) + ".png", label, "shop-" + std::to_string(i / 2));
        }
    }
    CatalogueItem& add(const std::string& name, const std::string& label,
                       const std::string& identity) {
        Image image{60, 80, {}};
        RandomStream random(7, name);
        for (int i = 0; i < 60 * 80 * 3; ++i) {
            image.rgb.push_back(static_cast<std::uint8_t>(random.next32()));
        }
        writePng(folder_.file(name), image);
        return addRow(name, label, identity);
    }
    CatalogueItem& addRow(const std::string& name, const std::string& label,
                          const std::string& identity) {
        CatalogueItem item;
        item.path = name;
        item.label = label;
        item.identity = identity;
        const std::string bytes = contentOf(folder_.file(name));
        item.sha256 = bytes.empty() ? "" : sha256Hex(std::string_view(bytes));
        catalogue_.items.push_back(item);
        return catalogue_.items.back();
    }
    Catalogue& catalogue() { return catalogue_; }
    std::string file(const std::string& name) const { return folder_.file(name); }

 private:
    TemporaryDir folder_;
    Catalogue catalogue_;
};

FreezeOptions small(bool derive = true) {
    FreezeOptions options;
    options.derive = derive;
    options.width = 24;
    options.height = 32;
    return options;
}

FrozenSet freeze(const Catalogue& catalogue, const FreezeOptions& options,
                 const std::string& folder) {
    return freezeImages(catalogue, options, posixFileSystem(), folder);
}

std::set<std::string> identitiesOf(const std::vector<FrozenExample>& examples) {
    std::set<std::string> names;
    for (const FrozenExample& example : examples) {
        names.insert(example.identity);
    }
    return names;
}

// Set by a progress observer to stop a freeze in its middle.
struct StopAfter : Progress {
    CancelToken token;
    std::int64_t at;
    explicit StopAfter(std::int64_t steps) : at(steps) {}
    void step(std::int64_t done) override {
        if (done == at) {
            token.finishUpdate();
        }
    }
};

}  // namespace

class FreezeTest : public QObject {
    Q_OBJECT

 private Q_SLOTS:
    void threeImagesOfEachPhotoAndNoIdentityOnBothSides() {
        Photos photos(20);
        const TemporaryDir folder;
        const FrozenSet set = freeze(photos.catalogue(), small(), folder.path());
        QCOMPARE(set.train.size() + set.validation.size(), std::size_t{60});
        QCOMPARE(set.validation.size(), std::size_t{12});
        QCOMPARE(set.labels.names(), (std::vector<std::string>{"readable", "blurred", "cut-off"}));
        const auto train = identitiesOf(set.train), validation = identitiesOf(set.validation);
        QCOMPARE(train.size() + validation.size(), std::size_t{10});
        std::map<std::string, int> labels;
        for (std::size_t i = 0; i < set.train.size(); ++i) {
            QCOMPARE(set.train[i].id, static_cast<std::int64_t>(i));
            QCOMPARE(validation.count(set.train[i].identity), std::size_t{0});
            QCOMPARE(set.train[i].derivation.empty(), set.train[i].label == "readable");
            ++labels[set.train[i].label];
        }
        QVERIFY(labels["readable"] == 16 && labels["blurred"] == 16 && labels["cut-off"] == 16);
        QVERIFY(set.rejects.empty() && set.warnings.empty());
    }

    void theReadableOneIsThePhotoItself() {
        Photos photos(4);
        const TemporaryDir folder;
        const FrozenSet set = freeze(photos.catalogue(), small(), folder.path());
        const PixelCache cache(folder.file("train.pixels"));
        for (const FrozenExample& example : set.train) {
            const Image expected = letterbox(decodeImageFile(photos.file(example.source)), 24, 32);
            const auto pixels = cache.pixels(example.id);
            QCOMPARE(std::equal(pixels.begin(), pixels.end(), expected.rgb.begin()),
                     example.label == "readable");
        }
    }

    void theSameBytesWhateverTheThreads() {
        Photos photos(12);
        const TemporaryDir one, many, other;
        FreezeOptions options = small();
        options.threads = 1;
        const FrozenSet first = freeze(photos.catalogue(), options, one.path());
        options.threads = 5;
        const FrozenSet second = freeze(photos.catalogue(), options, many.path());
        for (const char* name : {"split.csv", "train.pixels", "val.pixels", "frozen.json"}) {
            QVERIFY(contentOf(one.file(name)) == contentOf(many.file(name)));
        }
        QCOMPARE(first.splitDigest, second.splitDigest);
        QCOMPARE(first.splitDigest, sha256Hex(std::string_view(contentOf(one.file("split.csv")))));
        options.seed = 84;
        const FrozenSet third = freeze(photos.catalogue(), options, other.path());
        QVERIFY(third.datasetDigest != first.datasetDigest &&
                third.splitDigest != first.splitDigest);
    }

    // A photo's derivations hang on its own identity, not on who else is there.
    void aFurtherPhotoLeavesTheOthersDerivations() {
        Photos photos(8);
        const TemporaryDir before, after;
        const FrozenSet first = freeze(photos.catalogue(), small(), before.path());
        photos.add("new.png", "readable", "a new shop");
        const FrozenSet second = freeze(photos.catalogue(), small(), after.path());
        std::set<std::string> derivations;
        for (const auto* examples : {&second.train, &second.validation}) {
            for (const FrozenExample& example : *examples) {
                derivations.insert(example.source + example.label + example.derivation);
            }
        }
        for (const auto* examples : {&first.train, &first.validation}) {
            for (const FrozenExample& example : *examples) {
                QCOMPARE(derivations.count(example.source + example.label + example.derivation),
                         std::size_t{1});
            }
        }
    }

    void itOpensAsItWasFrozen() {
        Photos photos(0);
        const std::vector<std::string> nasty{"=1+1",  "'=1+1",      "''@x",       "-5",
                                             "a,b",   "say \"hi\"", "two\nlines", " blanks ",
                                             "plain", "'",          "K\xC3\xB6ln"};
        for (std::size_t i = 0; i < nasty.size(); ++i) {
            photos.add("p" + std::to_string(i) + ".png", i % 2 == 0 ? "good" : "-bad", nasty[i]);
        }
        photos.addRow("missing.png", "good", "gone");
        const TemporaryDir folder;
        const FrozenSet set = freeze(photos.catalogue(), small(false), folder.path());
        const FrozenSet again = openFrozen(posixFileSystem(), folder.path(), true);
        QVERIFY(again.train == set.train);
        QVERIFY(again.validation == set.validation);
        QCOMPARE(again.labels.names(), (std::vector<std::string>{"-bad", "good"}));
        QCOMPARE(again.splitDigest, set.splitDigest);
        QCOMPARE(again.datasetDigest, set.datasetDigest);
        QVERIFY(again.width == 24 && again.height == 32);
        QVERIFY(again.rejects.size() == 1 && again.rejects[0].path == "missing.png" &&
                again.rejects[0].reason == RejectReason::Missing);
        auto names = identitiesOf(again.train);
        names.merge(identitiesOf(again.validation));
        QCOMPARE(names, (std::set<std::string>(nasty.begin(), nasty.end())));
    }

    void everyAlteredByteIsFoundAndNamed() {
        Photos photos(4);
        const TemporaryDir folder;
        freeze(photos.catalogue(), small(), folder.path());
        for (const std::string name : {"split.csv", "train.pixels", "val.pixels"}) {
            const std::string path = folder.file(name), good = contentOf(path);
            for (std::size_t at = 0; at < good.size(); at += good.size() / 23) {
                std::string bad = good;
                bad[at] = static_cast<char>(bad[at] ^ 1);
                store(path, bad);
                EXPECT_ERROR(openFrozen(posixFileSystem(), folder.path(), true), ErrorCode::Data,
                             name);
            }
            store(path, good);
            openFrozen(posixFileSystem(), folder.path(), true);
        }
    }

    // Altered so that it still reads well: caught by what belongs together.
    void aSwapIsFound() {
        Photos photos(8);
        const TemporaryDir a, b;
        freeze(photos.catalogue(), small(), a.path());
        FreezeOptions other = small();
        other.seed = 84;
        freeze(photos.catalogue(), other, b.path());
        store(a.file("train.pixels"), contentOf(b.file("train.pixels")));
        EXPECT_ERROR(openFrozen(posixFileSystem(), a.path()), ErrorCode::Data, "train.pixels");
        std::filesystem::remove(b.file("val.pixels"));
        EXPECT_ERROR(openFrozen(posixFileSystem(), b.path()), ErrorCode::Failed, "val.pixels");
        EXPECT_ERROR(openFrozen(posixFileSystem(), a.file("nowhere")), ErrorCode::Data,
                     "frozen.json");
    }

    void filesThatCannotBeDecodedAreNamedNotAccepted() {
        Photos photos(10);
        store(photos.file("broken.png"), contentOf(photos.file("photo-0.png")).substr(0, 200));
        store(photos.file("words.png"), "these are words");
        photos.addRow("broken.png", "readable", "b");
        photos.addRow("words.png", "readable", "w");
        const TemporaryDir folder;
        const FrozenSet set = freeze(photos.catalogue(), small(), folder.path());
        QCOMPARE(set.train.size() + set.validation.size(), std::size_t{30});
        QCOMPARE(set.rejects.size(), std::size_t{2});
        std::set<std::string> names;
        for (const Reject& reject : set.rejects) {
            names.insert(reject.path);
            QVERIFY(!reject.message.empty());
        }
        QCOMPARE(names, (std::set<std::string>{"broken.png", "words.png"}));
    }

    void nothingLeftIsRefused() {
        Photos photos(0);
        for (int i = 0; i < 4; ++i) {
            photos.addRow("gone-" + std::to_string(i) + ".png", "readable", std::to_string(i));
        }
        const TemporaryDir folder;
        EXPECT_ERROR(freeze(photos.catalogue(), small(), folder.path()), ErrorCode::Data, "gone-");
        QVERIFY(posixFileSystem().list(folder.path()).empty());
    }

    void aPhotoChangedSinceTheImportIsRefused() {
        Photos photos(6);
        store(photos.file("photo-3.png"), contentOf(photos.file("photo-2.png")));
        const TemporaryDir folder;
        EXPECT_ERROR(freeze(photos.catalogue(), small(), folder.path()), ErrorCode::Data,
                     "photo-3.png");
        QVERIFY(posixFileSystem().list(folder.path()).empty());
    }

    void badInputIsNamed() {
        const TemporaryDir folder;
        Photos oneClass(6);
        EXPECT_ERROR(freeze(oneClass.catalogue(), small(false), folder.path()), ErrorCode::Data,
                     "'readable'");
        oneClass.add("b.png", "blurred", "b");
        EXPECT_ERROR(freeze(oneClass.catalogue(), small(true), folder.path()), ErrorCode::Data,
                     "b.png");
        FreezeOptions options = small();
        options.height = 8;
        EXPECT_ERROR(freeze(Photos(6).catalogue(), options, folder.path()), ErrorCode::Usage,
                     "8x24");
        options = small();
        options.validationShare = 1.5;
        EXPECT_ERROR(freeze(Photos(6).catalogue(), options, folder.path()), ErrorCode::Usage,
                     "1.5");
        EXPECT_ERROR(freeze(Catalogue{}, small(), folder.path()), ErrorCode::Data, "no image");
        store(folder.file("contract.json"), "{}");
        EXPECT_ERROR(freeze(Photos(6).catalogue(), small(), folder.path()), ErrorCode::Failed,
                     "frozen already");
    }

    void aSuppliedSplitIsKept() {
        Photos photos(6, "good");
        for (std::size_t i = 0; i < 6; ++i) {
            photos.catalogue().items[i].split = i / 2 == 1 ? "val" : "train";
            photos.catalogue().items[i].label = i % 2 == 0 ? "good" : "bad";
        }
        const TemporaryDir folder;
        const FrozenSet set = freeze(photos.catalogue(), small(false), folder.path());
        QCOMPARE(identitiesOf(set.validation), std::set<std::string>{"shop-1"});
        QCOMPARE(set.train.size(), std::size_t{4});
    }

    void stoppingLeavesNothing() {
        Photos photos(20);
        const TemporaryDir folder;
        StopAfter progress(5);
        EXPECT_ERROR(freezeImages(photos.catalogue(), small(), posixFileSystem(), folder.path(),
                                  progress, &progress.token),
                     ErrorCode::Interrupted, "stopped");
        QVERIFY(posixFileSystem().list(folder.path()).empty());
    }

    // Whatever call fails: no complete set is claimed, and freezing again works and gives the same.
    void aFailureAtAnyCallIsRepaired() {
        Photos photos(4);
        const TemporaryDir reference;
        const FrozenSet expected = freeze(photos.catalogue(), small(), reference.path());
        bool failed = true;
        for (std::int64_t fail = 1; failed; ++fail) {
            const TemporaryDir folder;
            failed = false;
            TraceHooks hooks;
            hooks.before = [&](const FileCall& call) {
                if (call.index >= fail) {  // the disk stays full
                    failed = true;
                    throw FileError(call.operation, call.path, 28);
                }
            };
            const auto failing = traceFileSystem(posixFileSystem(), nullptr, hooks);
            try {
                freezeImages(photos.catalogue(), small(), *failing, folder.path());
            } catch (const FileError&) {
                QVERIFY(failed);
            }
            const FrozenSet again = freeze(photos.catalogue(), small(), folder.path());
            QCOMPARE(again.datasetDigest, expected.datasetDigest);
            QCOMPARE(again.splitDigest, expected.splitDigest);
            openFrozen(posixFileSystem(), folder.path(), true);
            for (const DirectoryEntry& entry : posixFileSystem().list(folder.path())) {
                QVERIFY2(entry.name.find(".pixels.tmp") == std::string::npos, entry.name.c_str());
            }
        }
    }

    void theEmbeddedExample() {
        FreezeOptions options = small(false);
        options.syntheticIdentities = 10;
        const TemporaryDir folder;
        const FrozenSet set = freeze(Catalogue{}, options, folder.path());
        QCOMPARE(set.train.size(), std::size_t{24});
        QCOMPARE(set.validation.size(), std::size_t{6});
        QVERIFY(set.train[0].source.starts_with("synthetic:"));
        QVERIFY(openFrozen(posixFileSystem(), folder.path(), true).train == set.train);
    }
};

QTEST_APPLESS_MAIN(FreezeTest)
#include "freeze_test.moc"
