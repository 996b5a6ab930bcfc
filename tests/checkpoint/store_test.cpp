#include "core/checkpoint/store.h"

#include <QtTest>

#include <QProcess>

#include <limits>

#include <nlohmann/json.hpp>

#include "tests/checkpoint/sample_state.h"

using namespace receiptbench;

class StoreTest : public QObject {
    Q_OBJECT

 private Q_SLOTS:
    void nameHasOneSpelling() {
        QCOMPARE(fileName({7, 123}), std::string("ckpt-g0007-s000000000123.safetensors"));
        QVERIFY(parseCheckpointName("ckpt-g0007-s000000000123.safetensors") ==
                (CheckpointName{7, 123}));
        QVERIFY(parseCheckpointName(fileName({12345, 1234567890123})) ==
                (CheckpointName{12345, 1234567890123}));
        for (const char* wrong :
             {"ckpt-g7-s123.safetensors", "ckpt-g00007-s000000000123.safetensors", "",
              "ckpt-g0007-s000000000123.safetensors.tmp", "ckpt-g-001-s000000000123.safetensors",
              "ckpt-g0007-s99999999999999999999.safetensors", "ckpt-g.safetensors",
              "ckpt-g0007-s-00000000123.safetensors", "x-ckpt-g0007-s000000000123.safetensors"}) {
            QVERIFY2(!parseCheckpointName(wrong), wrong);
        }
    }

    void everythingComesBack() {
        sample::Folder folder;
        TrainingState saved = sample::state(5);
        saved.values.bestMetric = 0.875;
        saved.values.normalisation = Normalisation::MeanOfMeans;
        SaveOptions options = sample::options(2);
        options.parentDigest = std::string(64, 'p');
        const auto written = saveCheckpoint(posixFileSystem(), folder.path(), saved, options);
        CheckpointInfo info;
        const auto loaded =
            openCheckpoint(posixFileSystem(), written.path, sample::kContract, &info);
        QVERIFY(sample::equal(loaded.tensors, saved.tensors));
        QVERIFY(nlohmann::json(loaded.values) == nlohmann::json(saved.values));
        QCOMPARE(loaded.values.learningRate, saved.values.learningRate);
        QVERIFY(loaded.values.scaler == saved.values.scaler);
        QVERIFY(loaded.values.plan == saved.values.plan);
        QVERIFY(info.name == (CheckpointName{2, 5}));
        QCOMPARE(info.digest, written.digest);
        QCOMPARE(info.parentDigest, options.parentDigest);
        QCOMPARE(info.contractHash, sample::kContract);
        QVERIFY(info.bytesByPart == written.bytesByPart);
        QCOMPARE(info.bytes, std::uint64_t(sample::readFile(written.path).size()));
    }

    void bytesByPartAddUp() {
        sample::Folder folder;
        const auto info = folder.save(1);
        QCOMPARE(info.bytesByPart.at("weights"), std::uint64_t(72));
        QCOMPARE(info.bytesByPart.at("optimizer"), std::uint64_t(72 + 16));
        QCOMPARE(info.bytesByPart.at("rng"), std::uint64_t(17));
        std::uint64_t sum = 0;
        for (const auto& [part, bytes] : info.bytesByPart) {
            sum += bytes;
        }
        QCOMPARE(sum, info.bytes);
    }

    void sameStateGivesTheSameBytes() {
        sample::Folder first, second;
        QCOMPARE(sample::readFile(first.save(3).path), sample::readFile(second.save(3).path));
    }

    void savingTheSameTwiceIsOneCheckpoint() {
        sample::Folder folder;
        const auto first = folder.save(3), again = folder.save(3);
        QCOMPARE(again.digest, first.digest);
        QCOMPARE(folder.names().size(), std::size_t(1));
    }

    void anotherStateUnderTheSameNameIsRefused() {
        sample::Folder folder;
        const auto first = folder.save(3);
        TrainingState other = sample::state(3);
        other.tensors[0].bytes[0] ^= std::byte{1};
        QVERIFY_EXCEPTION_THROWN(
            saveCheckpoint(posixFileSystem(), folder.path(), other, sample::options()), FileError);
        QCOMPARE(folder.names().size(), std::size_t(1));
        QCOMPARE(folder.recover().chosen->digest, first.digest);
    }

    void generationWinsOverStep() {
        sample::Folder folder;
        folder.save(40, 1);
        folder.save(50, 1);
        folder.save(45, 2);  // after a rollback to 40
        QVERIFY(folder.recover().chosen->name == (CheckpointName{2, 45}));
        const auto names = listCheckpoints(posixFileSystem(), folder.path());
        QVERIFY(names == (std::vector<CheckpointName>{{2, 45}, {1, 50}, {1, 40}}));
    }

    void nextGenerationIsAboveDamagedFilesToo() {
        sample::Folder folder;
        QCOMPARE(nextGeneration(posixFileSystem(), folder.path()), std::int64_t(1));
        QCOMPARE(nextGeneration(posixFileSystem(), folder.file("missing")), std::int64_t(1));
        folder.save(4, 1);
        sample::writeFile(folder.file(CheckpointName{6, 2}), {'x'});
        QCOMPARE(nextGeneration(posixFileSystem(), folder.path()), std::int64_t(7));
    }

    void missingFolderIsSaidAtOnce() {
        sample::Folder folder;
        QVERIFY_EXCEPTION_THROWN(saveCheckpoint(posixFileSystem(), folder.file("gone"),
                                                sample::state(1), sample::options()),
                                 FileError);
    }

    // The file is aligned, so that libraries which map it can use it as it is.
    void pythonOpensIt() {
        const QString python = qEnvironmentVariable("RECEIPTBENCH_PYTHON", "python3");
        QProcess probe;
        probe.start(python, {"-c", "import safetensors.numpy, numpy"});
        if (!probe.waitForFinished() || probe.exitStatus() != QProcess::NormalExit ||
            probe.exitCode() != 0) {
            QSKIP(
                "python3 with safetensors and numpy is not installed (RECEIPTBENCH_PYTHON names "
                "another one): "
                "opening a checkpoint from Python was NOT checked");
        }
        sample::Folder folder;
        const auto info = folder.save(5);
        QProcess process;
        process.start(python, {"-c",
                               "import sys, safetensors, safetensors.numpy as s\n"
                               "t = s.load_file(sys.argv[1])\n"
                               "m = safetensors.safe_open(sys.argv[1], 'numpy').metadata()\n"
                               "print(t['model/a.weight'].tobytes().hex(), "
                               "t['optimizer/step/a.bias'].tobytes().hex(),\n"
                               "      t['seal'].shape[0], m['step'], m['version'])",
                               QString::fromStdString(info.path)});
        QVERIFY(process.waitForFinished());
        const QByteArray errors = process.readAllStandardError();
        QVERIFY2(process.exitCode() == 0, errors.constData());
        const auto hex = [](const HostTensor& tensor) {
            return QByteArray(reinterpret_cast<const char*>(tensor.bytes.data()),
                              qsizetype(tensor.bytes.size()))
                .toHex();
        };
        const TrainingState state = sample::state(5);
        QCOMPARE(process.readAllStandardOutput().trimmed(),
                 hex(state.tensors[0]) + " " + hex(state.tensors[6]) + " 64 5 1.0");
    }

    void nonsenseIsNotWritten_data() {
        QTest::addColumn<int>("which");
        const char* names[] = {"no weights",      "no generator",  "weightless optimizer state",
                               "optimizer shape", "unknown kind",  "counts",
                               "schedule",        "learning rate", "scale",
                               "duplicate"};
        for (int i = 0; i < 10; ++i) {
            QTest::newRow(names[i]) << i;
        }
    }
    void nonsenseIsNotWritten() {
        QFETCH(int, which);
        sample::Folder folder;
        TrainingState state = sample::state(5);
        auto& tensors = state.tensors;
        switch (which) {
            case 0:
                std::erase_if(tensors, [](const auto& t) { return t.name != "rng/cpu"; });
                break;
            case 1:
                tensors.pop_back();
                break;
            case 2:
                tensors[3].name = "optimizer/m/gone";
                break;
            case 3:
                tensors[3].shape = {5, 3};
                break;
            case 4:
                tensors[3].name = "seal";
                break;
            case 5:
                state.values.applied += 1;
                break;
            case 6:
                state.values.scheduleSteps += 1;
                break;
            case 7:
                state.values.learningRate = std::numeric_limits<double>::quiet_NaN();
                break;
            case 8:
                state.values.scaler.scale = 0;
                break;
            case 9:
                tensors.push_back(tensors[0]);
                break;
        }
        QVERIFY_EXCEPTION_THROWN(
            saveCheckpoint(posixFileSystem(), folder.path(), state, sample::options()), Error);
        QVERIFY(folder.names().empty());
    }
};

QTEST_APPLESS_MAIN(StoreTest)
#include "store_test.moc"
