// Photos from outside get what the same photos got in validation.
#include "core/workbench/predicting.h"

#include <QtTest>

#include <QTemporaryDir>

#include "core/data/decode.h"
#include "core/workbench/exporting.h"
#include "tests/workbench/tiny_project.h"

using namespace receiptbench;

class PredictingTest : public QObject {
    Q_OBJECT

 private:
    QTemporaryDir folder_;
    std::unique_ptr<Project> project_;
    std::string exported_;

    PredictResult predict(std::vector<std::string> sources) {
        PredictRequest request;
        request.sources = std::move(sources);
        request.threads = 2;
        return predictPhotos(*project_, request);
    }

 private Q_SLOTS:
    void initTestCase() {
        project_ = std::make_unique<Project>(tinyProject(folder_.filePath("p").toStdString()));
        train(*project_, tinyRun());
        exported_ = folder_.filePath("out").toStdString();
        exportDataset(*project_, exported_);
    }

    void theValidationPhotosGetTheirStoredScores() {
        const auto result = predict({exported_ + "/val"});
        const auto stored = predictionsOf(*project_, "fp32");
        const auto wanted = fromLogits(stored.logits, stored.labels, stored.classes);
        QCOMPARE(static_cast<std::int64_t>(result.photos.size()), wanted.size());
        QCOMPARE(result.run, std::string("fp32"));
        const auto accept = result.labels.index(result.acceptLabel).value();
        for (std::size_t i = 0; i < result.photos.size(); ++i) {
            const auto& photo = result.photos[i];
            QCOMPARE(photo.problem, std::string());
            QCOMPARE(photo.predicted, predictedClass(wanted, static_cast<std::int64_t>(i)));
            for (std::size_t c = 0; c < photo.probabilities.size(); ++c) {
                const auto expected =
                    wanted.probabilities[i * static_cast<std::size_t>(wanted.classes) + c];
                QVERIFY(std::abs(photo.probabilities[c] - expected) < 1e-6);
            }
            QCOMPARE(photo.accepted,
                     photo.probabilities[static_cast<std::size_t>(accept)] >= result.threshold);
        }
    }

    void sourcesAreTakenInOrderAndRejectsKeepTheirPlace() {
        const auto broken = folder_.filePath("broken.jpg").toStdString();
        writeAtomically(project_->files(), broken, std::string_view("no picture"));
        const auto result = predict({exported_ + "/val/000001.png", broken,
                                     exported_ + "/val/000000.png", exported_ + "/manifest.csv"});
        QCOMPARE(result.photos[0].path, exported_ + "/val/000001.png");
        QCOMPARE(result.photos[1].problem, std::string("not-an-image"));
        QCOMPARE(result.photos[1].predicted, -1);
        QVERIFY(result.photos[1].probabilities.empty() && !result.photos[1].accepted);
        QCOMPARE(result.photos[2].problem, std::string());
        QCOMPARE(result.rejected(), 1);
        QCOMPARE(result.photos.size(), 3U + 48U);  // more than one batch
        for (const auto& photo : result.photos) {
            QVERIFY(!photo.problem.empty() || photo.probabilities.size() == 3);
        }
    }

    void whatCannotBePredictedIsSaid() {
        std::string message;
        const int usage = static_cast<int>(ErrorCode::Usage);
        QCOMPARE(errorCodeOf([&] { predict({}); }), usage);
        QCOMPARE(errorCodeOf([&] { predict({"/nowhere/x.jpg"}); }, &message), usage);
        QVERIFY(message.find("/nowhere/x.jpg") != std::string::npos);
        PredictRequest request;
        request.sources = {exported_};
        request.run = "nobody";
        QCOMPARE(errorCodeOf([&] { predictPhotos(*project_, request); }, &message),
                 static_cast<int>(ErrorCode::Data));
        CancelToken cancel;
        cancel.finishUpdate();
        request.run.clear();
        QCOMPARE(errorCodeOf([&] { predictPhotos(*project_, request, Progress::none(), &cancel); }),
                 static_cast<int>(ErrorCode::Interrupted));
    }
};

QTEST_APPLESS_MAIN(PredictingTest)
#include "predicting_test.moc"
