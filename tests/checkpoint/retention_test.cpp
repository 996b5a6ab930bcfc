#include "core/checkpoint/retention.h"

#include <QtTest>

#include "tests/checkpoint/sample_state.h"

using namespace receiptbench;
using Names = std::vector<CheckpointName>;

class RetentionTest : public QObject {
    Q_OBJECT

 private Q_SLOTS:
    void newestThreeStay() {
        QVERIFY(superseded({{{1, 1}, true}, {{1, 2}, true}, {{1, 3}, true}, {{1, 4}, true}}, {1, 4},
                           3) == (Names{{1, 1}}));
        QVERIFY(superseded({{{1, 3}, true}, {{1, 4}, true}}, {1, 4}, 3).empty());
    }

    void orderIsGenerationThenStep() {
        QVERIFY(superseded({{{1, 90}, true}, {{2, 10}, true}, {{2, 20}, true}, {{2, 30}, true}},
                           {2, 30}, 3) == (Names{{1, 90}}));
    }

    void aFileWithoutSealCountsForNothing() {
        QVERIFY(
            superseded({{{1, 1}, true}, {{1, 2}, true}, {{1, 3}, false}, {{1, 4}, true}}, {1, 4}, 3)
                .empty());
        QVERIFY(superseded({{{1, 1}, true}, {{1, 2}, false}, {{1, 3}, true}, {{1, 4}, true}},
                           {1, 4}, 2) == (Names{{1, 2}, {1, 1}}));
    }

    void whatIsNewerIsNotSuperseded() {
        QVERIFY(superseded({{{1, 1}, true}, {{1, 2}, true}, {{3, 9}, true}}, {1, 2}, 1) ==
                (Names{{1, 1}}));
    }

    void zeroKeepsEverything() {
        QVERIFY(superseded({{{1, 1}, true}, {{1, 2}, true}}, {1, 2}, 0).empty());
    }

    void savesKeepThreeFilesAndNoStrangers() {
        sample::Folder folder;
        sample::writeFile(folder.file("notes.txt"), {'n'});
        sample::writeFile(folder.file(fileName({1, 1}) + ".tmp"), {'t'});
        sample::writeFile(folder.file("mine.tmp"), {'m'});
        for (int update = 1; update <= 6; ++update) {
            folder.save(update);
        }
        QCOMPARE(folder.names(),
                 (std::vector<std::string>{fileName({1, 4}), fileName({1, 5}), fileName({1, 6}),
                                           "mine.tmp", "notes.txt"}));
    }

    void damagedOnesDoNotPushOutGoodOnes() {
        sample::Folder folder;
        for (int update = 1; update <= 3; ++update) {
            folder.save(update);
        }
        auto bytes = sample::readFile(folder.file(CheckpointName{1, 3}));
        bytes.resize(bytes.size() - 1);
        sample::writeFile(folder.file(CheckpointName{1, 3}), bytes);
        folder.save(4);
        QVERIFY(listCheckpoints(posixFileSystem(), folder.path()) ==
                (Names{{1, 4}, {1, 3}, {1, 2}, {1, 1}}));
        folder.save(5);
        QVERIFY(listCheckpoints(posixFileSystem(), folder.path()) ==
                (Names{{1, 5}, {1, 4}, {1, 3}, {1, 2}}));
    }

    void temporaryNames() {
        const std::string final = fileName({1, 3});
        QVERIFY(isTemporaryCheckpoint(final + ".tmp"));
        QVERIFY(isTemporaryCheckpoint(final + ".tmp-12"));
        for (const std::string& name :
             {final, final + ".tmp-", final + ".tmp-x", final + ".tmpx", std::string("a.tmp"),
              std::string(".tmp"), final + ".tmp.tmp"}) {
            QVERIFY2(!isTemporaryCheckpoint(name), name.c_str());
        }
    }
};

QTEST_APPLESS_MAIN(RetentionTest)
#include "retention_test.moc"
