#include <QtTest>

#include <QTemporaryDir>

#include <cmath>
#include <limits>

#include <nlohmann/json.hpp>

#include "core/base/host_tensor.h"
#include "core/runs/run_directory.h"

using namespace receiptbench;

namespace {

StoredPredictions predictions() {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    return {{0.1f, -2.5f, nan, 3.0f, 1e-30f, -0.0f}, {1, 0}, 3, "validation", "bf16", "weights"};
}

}  // namespace

class PredictionsTest : public QObject {
    Q_OBJECT

 private Q_SLOTS:
    void init() { folder_ = std::make_unique<QTemporaryDir>(); }

    void everyBitComesBack() {
        savePredictions(posixFileSystem(), path(), predictions());
        const auto loaded = loadPredictions(posixFileSystem(), path());
        QVERIFY(loaded.has_value());
        QCOMPARE(loaded->logits.size(), std::size_t(6));
        QVERIFY(std::isnan(loaded->logits[2]) && std::signbit(loaded->logits[5]));
        QCOMPARE(loaded->logits[4], 1e-30f);
        QCOMPARE(loaded->labels, predictions().labels);
        QCOMPARE(loaded->classes, std::int64_t(3));
        QCOMPARE(loaded->validationDigest, std::string("validation"));
        QCOMPARE(loaded->precision, std::string("bf16"));
        QCOMPARE(loaded->weightsDigest, std::string("weights"));
    }

    void laterOnesReplace() {
        savePredictions(posixFileSystem(), path(), predictions());
        StoredPredictions none{{}, {}, 3, "v", "fp32", "w"};
        savePredictions(posixFileSystem(), path(), none);
        const auto loaded = loadPredictions(posixFileSystem(), path());
        QCOMPARE(loaded->precision, std::string("fp32"));
        QCOMPARE(loaded->classes, std::int64_t(3));
        QVERIFY(loaded->labels.empty());
    }

    void noneIsNothing() { QVERIFY(!loadPredictions(posixFileSystem(), path())); }

    void whatDoesNotFitIsRefused() {
        for (const int which : {0, 1, 2, 3}) {
            StoredPredictions wrong = predictions();
            which == 0 ? wrong.logits.pop_back() : which == 1 ? wrong.labels.push_back(0) : void();
            wrong.classes = which == 2 ? 0 : 3;
            wrong.labels[0] = which == 3 ? 3 : 1;
            QVERIFY_EXCEPTION_THROWN(savePredictions(posixFileSystem(), path(), wrong), Error);
        }
        QVERIFY(!loadPredictions(posixFileSystem(), path()));
    }

    void aDamagedFileIsNamed() {
        savePredictions(posixFileSystem(), path(), predictions());
        const std::string file = joinPath(path(), "predictions.safetensors");
        auto content = readSafetensors(posixFileSystem(), file);
        content.metadata.erase("precision");
        writeSafetensors(posixFileSystem(), file, content);
        try {
            loadPredictions(posixFileSystem(), path());
            QFAIL("accepted");
        } catch (const Error& error) {
            QVERIFY(error.code() == ErrorCode::Data);
            QVERIFY(QString(error.what()).contains("precision") &&
                    QString(error.what()).contains("predictions.safetensors"));
        }
        writeAtomically(posixFileSystem(), file, std::string_view("x"));
        QVERIFY_EXCEPTION_THROWN(loadPredictions(posixFileSystem(), path()), Error);
    }

 private:
    std::string path() const { return folder_->path().toStdString(); }
    std::unique_ptr<QTemporaryDir> folder_;
};

QTEST_APPLESS_MAIN(PredictionsTest)
#include "predictions_test.moc"
