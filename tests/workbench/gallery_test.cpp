#include "core/workbench/gallery.h"

#include <QtTest>

#include <QTemporaryDir>

#include <cmath>

#include "core/data/synthetic.h"
#include "core/workbench/estimate.h"
#include "tests/workbench/tiny_project.h"

using namespace receiptbench;

namespace {

std::string pathIn(const QTemporaryDir& folder, const char* name) {
    return folder.filePath(name).toStdString();
}

// Two class folders with three drawn receipts each, and a file that is no picture.
std::string makeImages(const QTemporaryDir& folder) {
    const auto root = pathIn(folder, "images");
    int number = 0;
    for (const char* label : {"blurred", "readable"}) {
        posixFileSystem().makeDirectories(joinPath(root, label));
        for (int i = 0; i < 3; ++i) {
            const auto name = std::string(label) + "/r" + std::to_string(number) + ".png";
            writePng(joinPath(root, name), letterbox(drawReceipt(5, number++), 60, 80));
        }
    }
    writeAtomically(posixFileSystem(), joinPath(root, "readable/note.png"),
                    std::string_view("no picture"));
    return root;
}

}  // namespace

class GalleryTest : public QObject {
    Q_OBJECT

 private Q_SLOTS:
    void anEmptyProjectHasNothing() {
        QTemporaryDir folder;
        const auto gallery =
            loadGallery(Project::create(posixFileSystem(), pathIn(folder, "p"), ""));
        QVERIFY(!gallery.frozen && !gallery.imported);
        QVERIFY(gallery.photos.empty() && gallery.classes.empty() && gallery.runs.empty());
    }

    void photosAreTheFrozenOnes() {
        QTemporaryDir folder;
        const auto project = tinyProject(pathIn(folder, "p"));
        const auto gallery = loadGallery(project);
        const auto set = project.frozen();
        QVERIFY(gallery.frozen);
        QCOMPARE(gallery.photos.size(), set.train.size() + set.validation.size());
        QCOMPARE(gallery.trainCount, static_cast<std::int64_t>(set.train.size()));
        QCOMPARE(gallery.splitDigest, set.splitDigest);
        for (std::size_t i = 0; i < gallery.photos.size(); ++i) {
            const auto& photo = gallery.photos[i];
            const auto& example =
                photo.validation ? set.validation[i - set.train.size()] : set.train[i];
            QCOMPARE(photo.id, example.id);
            QCOMPARE(gallery.labels.name(photo.label), example.label);
            QCOMPARE(photo.identity, example.identity);
            QCOMPARE(photo.source, example.source);
            QVERIFY(!hasOriginal(gallery, photo));
        }
        QVERIFY(gallery.runs.empty() && gallery.prediction(0, 0) == nullptr);
        QCOMPARE(errorCodeOf([&] { readOriginal(gallery, gallery.photos[0], 100); }),
                 static_cast<int>(ErrorCode::Data));
    }

    void pixelsAreTheCachesPixels() {
        QTemporaryDir folder;
        const auto project = tinyProject(pathIn(folder, "p"));
        const PhotoPixels pixels(project.paths().root);
        for (const bool validation : {false, true}) {
            const PixelCache cache(
                joinPath(project.paths().frozen(), validation ? "val.pixels" : "train.pixels"));
            for (std::int64_t id = 0; id < cache.size(); ++id) {
                const auto image = pixels.read(validation, id);
                QCOMPARE(image.width, cache.width());
                QCOMPARE(image.height, cache.height());
                QVERIFY(std::ranges::equal(image.rgb, cache.pixels(id)));
            }
            QVERIFY(pixels.read(validation, cache.size()).rgb.empty());
            QVERIFY(pixels.read(validation, -1).rgb.empty());
        }
    }

    // What the grid says of a photo is what the comparison counts.
    void predictionsAndChangesAreTheComparisons() {
        QTemporaryDir folder;
        const auto project = tinyProject(pathIn(folder, "p"));
        train(project, tinyRun());
        auto wrong = tinyRun();
        wrong.kind = wrong.name = "wrong";
        wrong.normalisation = Normalisation::MeanOfMeans;
        train(project, wrong);
        // Far enough from the baseline that some decisions change.
        auto stored = predictionsOf(project, "wrong");
        for (std::size_t i = 0; i < stored.logits.size(); i += 2) {
            stored.logits[i] = -stored.logits[i] * 20;
        }
        stored.logits[0] = std::nanf("");
        savePredictions(project.files(), project.paths().run("wrong"), stored);

        const auto gallery = loadGallery(project);
        QVERIFY(gallery.problems.empty());
        QCOMPARE(gallery.runs.size(), 2U);
        QVERIFY(gallery.hasBaseline && gallery.runs[0].isBaseline && !gallery.runs[1].isBaseline);
        const auto accept = gallery.labels.index(gallery.acceptLabel).value();
        const auto before = predictionsOf(project, "fp32");
        const auto candidate = fromLogits(stored.logits, stored.labels, stored.classes);
        const auto changes =
            thresholdChanges(fromLogits(before.logits, before.labels, before.classes), candidate,
                             gallery.labels, {accept, gallery.threshold, 0.05});
        std::vector<std::int64_t> flipped;
        std::int64_t acceptToReject = 0, unknown = 0;
        const auto& rows = gallery.runs[1].rows;
        for (std::size_t row = 0; row < rows.size(); ++row) {
            QCOMPARE(rows[row].predicted,
                     predictedClass(candidate, static_cast<std::int64_t>(row)));
            acceptToReject += rows[row].change == DecisionChange::AcceptToReject;
            unknown += rows[row].change == DecisionChange::Unknown;
            if (rows[row].change == DecisionChange::AcceptToReject ||
                rows[row].change == DecisionChange::RejectToAccept) {
                flipped.push_back(static_cast<std::int64_t>(row));
            }
        }
        QVERIFY(!flipped.empty());
        QVERIFY(flipped == changes.back().flipped);
        QCOMPARE(acceptToReject, changes.back().acceptToReject);
        QCOMPARE(unknown, changes.back().invalid);
        QCOMPARE(rows[0].predicted, std::int64_t{-1});
        QVERIFY(std::isnan(rows[0].acceptScore) && !rows[0].accepted);
        const auto first = static_cast<std::size_t>(gallery.trainCount);
        QVERIFY(gallery.prediction(1, 0) == nullptr);
        QVERIFY(gallery.prediction(1, first) == &rows[0]);
        QVERIFY(gallery.prediction(2, first) == nullptr &&
                gallery.prediction(1, gallery.photos.size()) == nullptr);
    }

    void predictionsOfAnotherSetAreLeftOut() {
        QTemporaryDir folder;
        const auto project = tinyProject(pathIn(folder, "p"));
        train(project, tinyRun());
        auto stored = predictionsOf(project, "fp32");
        stored.validationDigest = std::string(64, 'a');
        savePredictions(project.files(), project.paths().run("fp32"), stored);
        const auto gallery = loadGallery(project);
        QVERIFY(gallery.runs.empty());
        QCOMPARE(gallery.problems.size(), 1U);
        QVERIFY(gallery.problems[0].find("another validation set") != std::string::npos);
    }

    void verifyingHashesThePixels() {
        QTemporaryDir folder;
        const auto project = tinyProject(pathIn(folder, "p"));
        verifyFrozen(project);
        const auto path = joinPath(project.paths().frozen(), "val.pixels");
        auto bytes = readBytes(posixFileSystem(), path);
        bytes[5000] ^= std::byte{1};  // a pixel: the stored digest stays
        writeAtomically(posixFileSystem(), path, bytes);
        QVERIFY(loadGallery(project).frozen);
        std::string message;
        QCOMPARE(errorCodeOf([&] { verifyFrozen(project); }, &message),
                 static_cast<int>(ErrorCode::Data));
        QVERIFY(message.find("val.pixels") != std::string::npos);
    }

    void whatWasImportedIsCountedByClass() {
        QTemporaryDir folder;
        auto project = Project::create(posixFileSystem(), pathIn(folder, "p"), "");
        ImportOptions options;
        options.source = makeImages(folder);
        importInto(project, options);
        auto gallery = loadGallery(project);
        QVERIFY(gallery.imported && !gallery.frozen && !gallery.readableOnly);
        QCOMPARE(gallery.classes.size(), 2U);
        QCOMPARE(gallery.classes[0].label, std::string("blurred"));
        QCOMPARE(gallery.classes[1].photos, std::int64_t{3});
        QCOMPARE(gallery.classes[1].identities, std::int64_t{3});
        QCOMPARE(gallery.rejects.size(), 1U);
        QVERIFY(gallery.rejects[0].path.find("note.png") != std::string::npos);

        auto request = tinyRequest();
        request.data.syntheticIdentities = 0;
        request.data.derive = false;
        freezeProject(project, request);
        gallery = loadGallery(project);
        QCOMPARE(gallery.photos.size(), 6U);
        const auto& photo = gallery.photos[0];
        QVERIFY(hasOriginal(gallery, photo));
        QCOMPARE(readOriginal(gallery, photo, 1000).height, std::int64_t{80});
        QCOMPARE(readOriginal(gallery, photo, 40).height, std::int64_t{40});
        posixFileSystem().remove(joinPath(gallery.imageRoot, photo.source));
        QCOMPARE(errorCodeOf([&] { readOriginal(gallery, photo, 40); }),
                 static_cast<int>(ErrorCode::Data));
    }

    void derivationsInWords() {
        QCOMPARE(describeDerivation(""), std::string());
        QCOMPARE(describeDerivation(R"({"kind":"motion","severity":0.0093})"),
                 std::string("motion, severity 0.0093"));
        QCOMPARE(describeDerivation("{damaged\n"), std::string("{damaged\\n"));
    }

    void anEstimateNeedsNoProject() {
        ExperimentContract contract;
        contract.height = contract.width = 32;
        contract.model.width = 8;
        PlanOptions options;
        options.secondsPerProbe = 0.001;
        const auto estimate = estimatePlan(contract, 3, options);
        QVERIFY(estimate.plan.chosen.has_value());
        QVERIFY(estimate.suggestedBudget > 0);
        QCOMPARE(estimate.plan.memoryLimit, estimate.suggestedBudget);
        contract.model.width = 12;
        std::string message;
        QCOMPARE(errorCodeOf([&] { estimatePlan(contract, 3, options); }, &message),
                 static_cast<int>(ErrorCode::Usage));
        QVERIFY(message.find("model.width") != std::string::npos);
    }
};

QTEST_APPLESS_MAIN(GalleryTest)
#include "gallery_test.moc"
