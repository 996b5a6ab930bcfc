#include "core/data/split.h"

#include <map>
#include <set>

#include "tests/support/expect_error.h"

using namespace receiptbench;

namespace {

CatalogueItem item(const std::string& label, const std::string& identity,
                   const std::string& split = "", const std::string& sha256 = "") {
    static int number = 0;
    CatalogueItem made;
    made.path = "photo-" + std::to_string(++number) + ".jpg";
    made.label = label;
    made.identity = identity;
    made.split = split;
    made.sha256 = sha256;
    made.line = number;
    return made;
}

std::vector<CatalogueItem> manyItems() {
    std::vector<CatalogueItem> items;
    for (int i = 0; i < 100; ++i) {
        const std::string identity = "shop-" + std::to_string(i);
        items.push_back(item(i < 70 ? "readable" : "blurred", identity));
        if (i % 5 == 0) {
            items.push_back(item(i < 70 ? "readable" : "blurred", identity));
        }
    }
    return items;
}

std::set<std::string> identities(const std::vector<CatalogueItem>& items, const SplitResult& result,
                                 bool validation, const std::string& label = "") {
    std::set<std::string> found;
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (result.validation[i] == validation && (label.empty() || items[i].label == label)) {
            found.insert(items[i].identity);
        }
    }
    return found;
}

bool disjoint(const std::set<std::string>& a, const std::set<std::string>& b) {
    return std::none_of(a.begin(), a.end(),
                        [&](const std::string& name) { return b.count(name) > 0; });
}

}  // namespace

class SplitTest : public QObject {
    Q_OBJECT

 private Q_SLOTS:
    void wholeIdentitiesAFifthOfEachClass() {
        const auto items = manyItems();
        for (std::uint64_t seed = 0; seed < 20; ++seed) {
            const SplitResult result = splitByIdentity(items, 0.2, seed);
            QVERIFY(disjoint(identities(items, result, false), identities(items, result, true)));
            const auto count = std::count(result.validation.begin(), result.validation.end(), true);
            QVERIFY2(std::abs(count - 24) <= 1, std::to_string(count).c_str());
            int readable = 0;
            for (std::size_t i = 0; i < items.size(); ++i) {
                readable += result.validation[i] && items[i].label == "readable" ? 1 : 0;
            }
            QVERIFY2(std::abs(readable - 17) <= 2, std::to_string(readable).c_str());
            QVERIFY(result.warnings.empty());
        }
    }

    void theOrderOfRowsDoesNotMatterButTheSeedDoes() {
        auto items = manyItems();
        const auto chosen = identities(items, splitByIdentity(items, 0.2, 83), true);
        QVERIFY(chosen != identities(items, splitByIdentity(items, 0.2, 84), true));
        std::reverse(items.begin(), items.end());
        QCOMPARE(identities(items, splitByIdentity(items, 0.2, 83), true), chosen);
    }

    void rareClassesLieOnBothSides() {
        std::vector<CatalogueItem> items;
        for (int i = 0; i < 50; ++i) {
            items.push_back(item("readable", "r" + std::to_string(i)));
        }
        items.push_back(item("blurred", "b1"));
        items.push_back(item("blurred", "b2"));
        for (std::uint64_t seed = 0; seed < 50; ++seed) {
            const SplitResult result = splitByIdentity(items, 0.2, seed);
            QCOMPARE(identities(items, result, false, "blurred").size(), std::size_t{1});
            QCOMPARE(identities(items, result, true, "blurred").size(), std::size_t{1});
        }
        items.pop_back();
        const SplitResult alone = splitByIdentity(items, 0.2, 83);
        QCOMPARE(alone.warnings.size(), std::size_t{1});
        QVERIFY(alone.warnings[0].find("'blurred' is absent from") != std::string::npos);
    }

    void bothSidesGetSomethingFromTwoIdentities() {
        for (const double share : {0.01, 0.2, 0.99}) {
            for (const std::string second : {"readable", "blurred"}) {
                const std::vector<CatalogueItem> items{item("readable", "a"), item(second, "b")};
                const SplitResult result = splitByIdentity(items, share, 83);
                QVERIFY(result.validation[0] != result.validation[1]);
            }
        }
    }

    // Two identities that hold one and the same file would leak if they came apart.
    void equalFilesStayTogether() {
        std::vector<CatalogueItem> items;
        for (int i = 0; i < 40; ++i) {
            items.push_back(
                item("readable", "i" + std::to_string(i), "", "bytes-" + std::to_string(i / 2)));
        }
        for (std::uint64_t seed = 0; seed < 20; ++seed) {
            const SplitResult result = splitByIdentity(items, 0.3, seed);
            for (std::size_t i = 0; i < items.size(); i += 2) {
                QCOMPARE(bool(result.validation[i]), bool(result.validation[i + 1]));
            }
        }
    }

    void aSuppliedSplitIsKept() {
        const std::vector<CatalogueItem> items{item("a", "1", "val"), item("b", "2", "train"),
                                               item("a", "3", "train"), item("b", "4", "val"),
                                               item("b", "4", "val")};
        const SplitResult result = splitByIdentity(items, 0.2, 83);
        QCOMPARE(result.validation, (std::vector<bool>{true, false, false, true, true}));
        QVERIFY(result.warnings.empty());
    }

    void aSuppliedSplitIsChecked() {
        const std::vector<CatalogueItem> torn{item("a", "1", "val"), item("a", "2", "train"),
                                              item("a", "1", "train")};
        EXPECT_ERROR(splitByIdentity(torn, 0.2, 83), ErrorCode::Data,
                     "identity '1' is in two splits");
        EXPECT_ERROR(splitByIdentity({item("a", "1", "val"), item("a", "2", "")}, 0.2, 83),
                     ErrorCode::Data, "''");
        EXPECT_ERROR(splitByIdentity({item("a", "1", "val"), item("a", "2", "Train")}, 0.2, 83),
                     ErrorCode::Data, "'Train'");
        EXPECT_ERROR(splitByIdentity({item("a", "1", "val"), item("a", "2", "val")}, 0.2, 83),
                     ErrorCode::Data, "no row in 'train'");
        const SplitResult missing = splitByIdentity(
            {item("a", "1", "val"), item("a", "2", "train"), item("b", "3", "train")}, 0.2, 83);
        QCOMPARE(missing.warnings.size(), std::size_t{1});
        const SplitResult leak = splitByIdentity(
            {item("a", "1", "val", "same"), item("a", "2", "train", "same")}, 0.2, 83);
        QVERIFY(leak.warnings.size() == 1 &&
                leak.warnings[0].find("same bytes") != std::string::npos);
    }

    void whatCannotBeSplitIsRefused() {
        EXPECT_ERROR(splitByIdentity({}, 0.2, 83), ErrorCode::Data, "no image");
        EXPECT_ERROR(splitByIdentity({item("a", "only"), item("b", "only")}, 0.2, 83),
                     ErrorCode::Data, "'only'");
        for (const double share : {0.0, 1.0, -0.5, 1e300, std::nan("")}) {
            EXPECT_ERROR(splitByIdentity(manyItems(), share, 83), ErrorCode::Usage,
                         "validation share");
        }
    }
};

QTEST_APPLESS_MAIN(SplitTest)
#include "split_test.moc"
