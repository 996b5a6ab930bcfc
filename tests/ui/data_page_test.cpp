// The Data page on tiny projects: what the facets count is what is shown, thumbnails are the frozen
// pixels, and a large set is never loaded as a whole.
#include <QCheckBox>
#include <QComboBox>
#include <QElapsedTimer>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QPainter>
#include <QPushButton>
#include <QTableView>
#include <QTableWidget>
#include <QTemporaryDir>
#include <QtTest>

#include <atomic>

#include "core/data/synthetic.h"
#include "tests/ui/screenshots.h"
#include "tests/ui/window_walk.h"
#include "tests/workbench/tiny_project.h"
#include "ui/data/data_page.h"
#include "ui/data/facet_list.h"
#include "ui/data/photo_delegate.h"
#include "ui/data/photo_model.h"
#include "ui/data/photo_viewer.h"
#include "ui/data/thumbnail_loader.h"
#include "ui/state_pane.h"

namespace receiptbench {

class DataPageTest : public QObject {
    Q_OBJECT

 private:
    static constexpr int kPatience = 120000;  // milliseconds
    QTemporaryDir folder_;
    std::string path_;

    template <typename Widget>
    static Widget* part(const QWidget& page, const char* name) {
        return page.findChild<Widget*>(QString::fromLatin1(name));
    }
    static PhotoModel* model(const QWidget& page) {
        return static_cast<PhotoModel*>(part<QListView>(page, "photoGrid")->model());
    }
    static void present(DataPage& page) {
        page.resize(1100, 760);
        page.show();
        QVERIFY(QTest::qWaitForWindowExposed(&page));
        QTRY_VERIFY_WITH_TIMEOUT(!page.loading(), kPatience);
    }
    // Every choice of a facet shows as many rows as it says, while all else stays.
    static void checkCounts(DataPage& page) {
        for (const auto facet : kAllFacets) {
            if (!page.facet(facet).isVisible()) {
                continue;
            }
            const int before = page.filter().of(facet);
            for (int value = kEvery; value < facetValues(*page.gallery(), facet); ++value) {
                const auto said = page.facet(facet).count(value);
                Q_EMIT page.facet(facet).chosen(value);
                QCOMPARE(model(page)->rowCount(), static_cast<int>(said));
            }
            Q_EMIT page.facet(facet).chosen(before);
        }
    }
    static std::shared_ptr<Gallery> largeGallery(int photos) {
        auto gallery = std::make_shared<Gallery>();
        gallery->frozen = true;
        gallery->labels = LabelMap({"readable", "blurred", "cut-off"});
        gallery->trainCount = photos;
        gallery->width = 96;
        gallery->height = 128;
        for (int i = 0; i < photos; ++i) {
            gallery->photos.push_back(
                {false, i, i % 3, "identity " + std::to_string(i / 3), std::to_string(i), ""});
        }
        return gallery;
    }

 private Q_SLOTS:
    void initTestCase();
    void emptyStatesSayWhatToDo();
    void facetsCountWhatIsShown();
    void thumbnailsAreTheFrozenPixels();
    void aTileIsPaintedPixelByPixel();
    void photosThatWereAskedFor();
    void keyboard();
    void verifying();
    void anImportShowsItsClassesAndRejects();
    void aDamagedProjectSaysSo();
    void aLargeSetIsNeverLoadedAsAWhole();
    void everythingHasAName();
    void picturesForTheEye();
};

void DataPageTest::initTestCase() {
    QVERIFY(folder_.isValid());
    path_ = folder_.filePath(QStringLiteral("p")).toStdString();
    const auto project = tinyProject(path_);
    train(project, tinyRun());
    auto other = tinyRun();
    other.kind = other.name = "wrong";
    other.normalisation = Normalisation::MeanOfMeans;
    train(project, other);
    // Far enough from the baseline that decisions change, and one that is no number.
    auto stored = predictionsOf(project, "wrong");
    for (std::size_t i = 0; i < stored.logits.size(); i += 2) {
        stored.logits[i] *= -20;
    }
    stored.logits[0] = std::numeric_limits<float>::quiet_NaN();
    savePredictions(project.files(), project.paths().run("wrong"), stored);
}

void DataPageTest::emptyStatesSayWhatToDo() {
    Session session(RECEIPTBENCH_PROGRAM);
    DataPage page(session, nullptr);
    page.show();
    auto* state = page.findChild<StatePane*>();
    QVERIFY(state->isVisible());
    QCOMPARE(state->title(), QStringLiteral("No project is open"));
    QCOMPARE(part<QPushButton>(page, "stateButton")->text(), QStringLiteral("Import images…"));

    const auto empty = folder_.filePath(QStringLiteral("empty")).toStdString();
    Project::create(posixFileSystem(), empty, "");
    QVERIFY(session.openProject(QString::fromStdString(empty)));
    QTRY_COMPARE(state->title(), QStringLiteral("Nothing is imported yet"));
    QVERIFY(!part<QPushButton>(page, "verifyButton")->isVisible());
}

void DataPageTest::facetsCountWhatIsShown() {
    Session session(RECEIPTBENCH_PROGRAM);
    QVERIFY(session.openProject(QString::fromStdString(path_)));
    DataPage page(session, nullptr);
    QVERIFY(page.gallery() == nullptr);  // a hidden page reads nothing
    present(page);
    QCOMPARE(model(page)->rowCount(), 48);
    QVERIFY(!page.facet(Facet::Change).isVisible());  // the baseline has nothing to differ from
    checkCounts(page);

    auto* runs = part<QComboBox>(page, "dataRunBox");
    QCOMPARE(runs->count(), 2);
    QVERIFY(runs->itemText(0).contains(QStringLiteral("baseline")));
    runs->setCurrentIndex(1);
    Q_EMIT runs->activated(1);
    QVERIFY(page.facet(Facet::Change).isVisible());
    QVERIFY(page.facet(Facet::Change).count(0) + page.facet(Facet::Change).count(1) > 0);
    checkCounts(page);
    // With choices in other facets, and with a search.
    Q_EMIT page.facet(Facet::Class).chosen(1);
    checkCounts(page);
    Q_EMIT page.facet(Facet::Split).chosen(1);
    checkCounts(page);
    auto* search = part<QLineEdit>(page, "identitySearch");
    search->setText(QStringLiteral("SYNTHETIC-0000"));
    QTRY_VERIFY(!page.filter().text.isEmpty());
    QVERIFY(model(page)->rowCount() > 0);
    checkCounts(page);
    search->setText(QStringLiteral("no such identity"));
    QTRY_COMPARE(model(page)->rowCount(), 0);
    checkCounts(page);
    page.showAll();
    QCOMPARE(model(page)->rowCount(), 48);
    QVERIFY(page.filter().isOff());
    QVERIFY(search->text().isEmpty());
}

void DataPageTest::thumbnailsAreTheFrozenPixels() {
    const auto project = Project::open(posixFileSystem(), path_);
    const auto gallery = loadGallery(project);
    const PhotoPixels pixels(path_);
    ThumbnailLoader loader;
    loader.setReader([&](int photo) {
        const auto& one = gallery.photos[static_cast<std::size_t>(photo)];
        return toQImage(pixels.read(one.validation, one.id));
    });
    loader.setSize(32, 1);  // as large as they are frozen
    const PixelCache cache(joinPath(project.paths().frozen(), "val.pixels"));
    const int first = static_cast<int>(gallery.trainCount);
    for (int id = 0; id < static_cast<int>(cache.size()); ++id) {
        QTRY_VERIFY(!loader.thumbnail(first + id).isNull());
        const auto image = loader.thumbnail(first + id).convertToFormat(QImage::Format_RGB888);
        QCOMPARE(image.size(), QSize(32, 32));
        const auto expected = cache.pixels(id);
        for (int y = 0; y < 32; ++y) {
            QVERIFY(std::equal(image.constScanLine(y), image.constScanLine(y) + 3 * 32,
                               expected.begin() + 3 * 32 * y));
        }
    }
    loader.setSize(16, 1);
    QTRY_VERIFY(!loader.thumbnail(first).isNull());
    const auto whole = toQImage(pixels.read(true, 0));
    QCOMPARE(loader.thumbnail(first),
             whole.scaled(16, 16, Qt::KeepAspectRatio, Qt::SmoothTransformation)
                 .convertToFormat(QImage::Format_RGB32));
}

void DataPageTest::aTileIsPaintedPixelByPixel() {
    auto gallery = largeGallery(1);
    QImage photo(96, 128, QImage::Format_RGB32);
    for (int y = 0; y < photo.height(); ++y) {
        for (int x = 0; x < photo.width(); ++x) {
            photo.setPixel(x, y, qRgb(2 * x, y, (x * y) % 256));
        }
    }
    ThumbnailLoader loader;
    loader.setReader([photo](int) { return photo; });
    loader.setSize(128, 1);
    PhotoModel model(loader, nullptr);
    model.show(gallery, {0}, -1);
    QTRY_VERIFY(!loader.thumbnail(0).isNull());
    PhotoDelegate delegate;
    delegate.setPicture({96, 128});
    QStyleOptionViewItem option;
    option.font = qApp->font();
    option.fontMetrics = QFontMetrics(option.font);
    option.rect = QRect(QPoint(), delegate.sizeHint(option, {}));
    QImage tile(option.rect.size(), QImage::Format_RGB32);
    tile.fill(Qt::white);
    QPainter painter(&tile);
    delegate.paint(&painter, option, model.index(0));
    painter.end();
    const QPoint corner((tile.width() - 96) / 2, 8);
    QCOMPARE(tile.copy(QRect(corner, photo.size())), photo);
}

void DataPageTest::photosThatWereAskedFor() {
    Session session(RECEIPTBENCH_PROGRAM);
    QVERIFY(session.openProject(QString::fromStdString(path_)));
    DataPage page(session, nullptr);
    const auto gallery = loadGallery(*session.project());
    std::vector<std::int64_t> flipped;
    const auto& rows = gallery.runs[1].rows;
    for (std::size_t row = 0; row < rows.size(); ++row) {
        if (rows[row].change == DecisionChange::AcceptToReject ||
            rows[row].change == DecisionChange::RejectToAccept) {
            flipped.push_back(static_cast<std::int64_t>(row));
        }
    }
    QVERIFY(!flipped.empty());
    session.requestPhotos(QStringLiteral("wrong: <b>changed</b>"), flipped);  // before it is read
    present(page);
    QCOMPARE(model(page)->rowCount(), static_cast<int>(flipped.size()));
    for (int row = 0; row < model(page)->rowCount(); ++row) {
        QCOMPARE(model(page)->photo(model(page)->index(row)),
                 static_cast<int>(gallery.trainCount + flipped[static_cast<std::size_t>(row)]));
    }
    QCOMPARE(page.filter().run, 1);  // the one that differs on them
    auto* title = part<QLabel>(page, "bannerText");
    QVERIFY(title->isVisible());
    QVERIFY(title->text().startsWith(QStringLiteral("wrong: <b>changed</b>")));
    QCOMPARE(title->textFormat(), Qt::PlainText);
    checkCounts(page);
    session.requestPhotos(QStringLiteral("none of this set"), {-1, 100000});
    QCOMPARE(model(page)->rowCount(), 0);
    part<QPushButton>(page, "dismissRequest")->click();
    QVERIFY(!title->isVisible());
    QCOMPARE(model(page)->rowCount(), 48);
}

void DataPageTest::keyboard() {
    Session session(RECEIPTBENCH_PROGRAM);
    QVERIFY(session.openProject(QString::fromStdString(path_)));
    DataPage page(session, nullptr);
    present(page);
    auto* grid = part<QListView>(page, "photoGrid");
    auto* viewer = part<PhotoViewer>(page, "photoViewer");
    grid->setFocus();
    QCOMPARE(grid->currentIndex().row(), 0);
    QTest::keyClick(grid, Qt::Key_Right);
    QTest::keyClick(grid, Qt::Key_Right);
    QCOMPARE(grid->currentIndex().row(), 2);
    QTest::keyClick(grid, Qt::Key_End);
    QCOMPARE(grid->currentIndex().row(), 47);
    QTest::keyClick(grid, Qt::Key_Return);
    QVERIFY(viewer->isVisible());
    QVERIFY(viewer->hasFocus());
    const auto caption = part<QLabel>(page, "viewerCaption")->text();
    QVERIFY2(
        caption.contains(QStringLiteral(" → ")) && caption.contains(QStringLiteral("score 0.")),
        qPrintable(caption));
    QCOMPARE(part<QTableWidget>(page, "viewerRuns")->rowCount(), 2);
    const PhotoPixels pixels(path_);
    const auto& last = page.gallery()->photos.back();
    QCOMPARE(viewer->picture(), toQImage(pixels.read(last.validation, last.id)));
    QTest::keyClick(viewer, Qt::Key_Right);  // there is none after the last
    QCOMPARE(viewer->photo(), 47);
    QTest::keyClick(viewer, Qt::Key_Left);
    QCOMPARE(viewer->photo(), 46);
    QCOMPARE(part<QLabel>(page, "viewerPosition")->text(), QStringLiteral("47 of 48"));
    QVERIFY(!part<QCheckBox>(page, "showOriginal")->isEnabled());  // drawn: there is no file
    QTest::keyClick(viewer, Qt::Key_Escape);
    QVERIFY(grid->isVisible() && grid->hasFocus());
    QCOMPARE(grid->currentIndex().row(), 46);
    QTest::keyClick(grid, Qt::Key_Home);
    QTest::keyClick(grid, Qt::Key_Return);
    QVERIFY(!part<QTableWidget>(page, "viewerRuns")->isVisible());  // a training photo
    QTest::keyClick(&page, Qt::Key_Escape);
    part<PhotoViewer>(page, "photoViewer")->closed();
    QTest::keyClick(&page, Qt::Key_F, Qt::ControlModifier);
    QVERIFY(part<QLineEdit>(page, "identitySearch")->hasFocus());
}

void DataPageTest::verifying() {
    const auto path = folder_.filePath(QStringLiteral("verify")).toStdString();
    const auto project = tinyProject(path);
    Session session(RECEIPTBENCH_PROGRAM);
    QVERIFY(session.openProject(QString::fromStdString(path)));
    DataPage page(session, nullptr);
    present(page);
    auto* line = part<QLabel>(page, "splitLine");
    const auto digest = QString::fromStdString(page.gallery()->splitDigest);
    QVERIFY(line->text().contains(QStringLiteral("sha256 ") + digest.left(12)));
    QVERIFY(line->text().contains(QStringLiteral("not hashed again yet")));
    auto* button = part<QPushButton>(page, "verifyButton");
    button->click();
    QVERIFY(!button->isEnabled());
    QVERIFY(session.waitForIdle(kPatience));
    QVERIFY2(line->text().contains(QStringLiteral("· verified at ")), qPrintable(line->text()));
    QVERIFY(button->isEnabled());

    const auto pixels = joinPath(project.paths().frozen(), "val.pixels");
    auto bytes = readBytes(posixFileSystem(), pixels);
    bytes[5000] ^= std::byte{1};
    writeAtomically(posixFileSystem(), pixels, bytes);
    button->click();
    QVERIFY(session.waitForIdle(kPatience));
    QVERIFY2(line->text().contains(QStringLiteral("not verified: ")) &&
                 line->text().contains(QStringLiteral("val.pixels")),
             qPrintable(line->text()));
}

void DataPageTest::anImportShowsItsClassesAndRejects() {
    const auto images = folder_.filePath(QStringLiteral("images")).toStdString();
    int number = 0;
    for (const char* label : {"blurred", "readable"}) {
        posixFileSystem().makeDirectories(joinPath(images, label));
        for (int i = 0; i < 3; ++i) {
            writePng(joinPath(images, std::string(label) + "/r" + std::to_string(number) + ".png"),
                     letterbox(drawReceipt(5, number), 60, 80));
            ++number;
        }
    }
    writeAtomically(posixFileSystem(), joinPath(images, "readable/<b>note.png"),
                    std::string_view("no picture"));
    Session session(RECEIPTBENCH_PROGRAM);
    DataPage page(session, nullptr);
    page.resize(1100, 760);
    page.show();
    ImportOptions options;
    options.source = images;
    const auto folder = folder_.filePath(QStringLiteral("imported"));
    QVERIFY(session.startImport(folder, options));
    auto* state = page.findChild<StatePane*>();
    QCOMPARE(state->title(), QStringLiteral("Importing the photos"));
    QVERIFY(session.waitForIdle(kPatience));
    auto* classes = part<QTableWidget>(page, "importedClasses");
    QTRY_VERIFY(classes->isVisible());
    QCOMPARE(classes->rowCount(), 2);
    QCOMPARE(classes->item(0, 0)->text(), QStringLiteral("blurred"));
    QCOMPARE(classes->item(1, 1)->text(), QStringLiteral("3"));
    saveScreenshots(page, QStringLiteral("data-imported"));
    part<QPushButton>(page, "importRejects")->click();
    auto* rejects = part<QTableView>(page, "rejectsTable");
    QVERIFY(rejects->isVisible());
    QCOMPARE(rejects->model()->rowCount(), 1);
    QCOMPARE(rejects->model()->index(0, 0).data().toString(),
             QStringLiteral("readable/<b>note.png"));
    QVERIFY(!rejects->model()->index(0, 3).data().toString().isEmpty());
    saveScreenshots(page, QStringLiteral("data-rejects"));
    QTest::keyClick(rejects, Qt::Key_Escape);
    QVERIFY(classes->isVisible());
    QSignalSpy asked(&session, &Session::modeRequested);
    part<QPushButton>(page, "goFreeze")->click();
    QCOMPARE(asked.size(), 1);
    QCOMPARE(asked[0][0].value<Mode>(), Mode::Configure);

    auto request = tinyRequest();
    request.data.syntheticIdentities = 0;
    request.data.derive = false;
    QVERIFY(session.startFreeze(request));
    QCOMPARE(state->title(), QStringLiteral("Freezing the photos"));
    QVERIFY(session.waitForIdle(kPatience));
    auto* grid = part<QListView>(page, "photoGrid");
    QTRY_VERIFY(grid->isVisible());
    QCOMPARE(grid->model()->rowCount(), 6);
    // Behind these photos there are files.
    QTest::keyClick(grid, Qt::Key_Return);
    auto* viewer = part<PhotoViewer>(page, "photoViewer");
    QCOMPARE(viewer->picture().height(), 32);
    QTest::keyClick(viewer, Qt::Key_O);
    QTRY_COMPARE(viewer->picture().height(), 80);

    ImportOptions missing;
    missing.source = folder_.filePath(QStringLiteral("nowhere")).toStdString();
    Session other(RECEIPTBENCH_PROGRAM);
    DataPage second(other, nullptr);
    second.show();
    QVERIFY(other.startImport(folder_.filePath(QStringLiteral("failed")), missing));
    QVERIFY(other.waitForIdle(kPatience));
    QTRY_COMPARE(second.findChild<StatePane*>()->title(), QStringLiteral("The import failed"));
}

void DataPageTest::aDamagedProjectSaysSo() {
    const auto path = folder_.filePath(QStringLiteral("damaged")).toStdString();
    const auto project = tinyProject(path);
    const auto split = joinPath(project.paths().frozen(), "split.csv");
    const auto text = readText(posixFileSystem(), split);
    writeAtomically(posixFileSystem(), split, std::string_view("nothing"));
    Session session(RECEIPTBENCH_PROGRAM);
    QVERIFY(session.openProject(QString::fromStdString(path)));
    DataPage page(session, nullptr);
    present(page);
    auto* state = page.findChild<StatePane*>();
    QCOMPARE(state->title(), QStringLiteral("The data cannot be read"));
    writeAtomically(posixFileSystem(), split, text);
    part<QPushButton>(page, "stateButton")->click();
    QTRY_VERIFY(part<QListView>(page, "photoGrid")->isVisible());
}

void DataPageTest::aLargeSetIsNeverLoadedAsAWhole() {
    constexpr int kPhotos = 100000;
    const auto gallery = largeGallery(kPhotos);
    QElapsedTimer clock;
    clock.start();
    PhotoFilter filter;
    const auto result = filterPhotos(*gallery, filter);
    qInfo("filtering %d photos: %lld ms", kPhotos, static_cast<long long>(clock.restart()));
    QCOMPARE(result.shown.size(), std::size_t{kPhotos});

    std::atomic<int> reads = 0;
    ThumbnailLoader loader;
    loader.setReader([&reads](int) {
        ++reads;
        QImage image(96, 128, QImage::Format_RGB888);
        image.fill(Qt::darkGray);
        return image;
    });
    PhotoModel model(loader, nullptr);
    model.show(gallery, result.shown, -1);
    PhotoDelegate delegate;
    QListView grid;
    grid.setViewMode(QListView::IconMode);
    grid.setUniformItemSizes(true);
    grid.setResizeMode(QListView::Adjust);
    grid.setItemDelegate(&delegate);
    grid.resize(900, 700);
    clock.restart();
    grid.setModel(&model);
    grid.show();
    grid.grab();
    qInfo("first paint: %lld ms", static_cast<long long>(clock.elapsed()));
    QTRY_VERIFY(reads > 0);
    for (int step = 1; step <= 50; ++step) {  // jumps through all of it
        grid.scrollTo(model.index(step * (kPhotos / 50) - 1));
        grid.grab();
        QTest::qWait(1);
    }
    QTest::qWait(300);
    QVERIFY2(reads < 5000, qPrintable(QString::number(reads)));
    QVERIFY(loader.cachedBytes() <= ThumbnailLoader::capBytes());
    // Whatever is asked is answered at once, thumbnail or not.
    clock.restart();
    for (int row = 0; row < kPhotos; row += 97) {
        QVERIFY(!model.index(row).data(Qt::DisplayRole).toString().isEmpty());
        model.index(row).data(Qt::DecorationRole);
    }
    qInfo("1,031 rows answered in %lld ms", static_cast<long long>(clock.elapsed()));
    QVERIFY(!model.data(model.index(kPhotos), Qt::DisplayRole).isValid());
    // The last of them comes first, the oldest have been dropped.
    const int last = (kPhotos - 1) / 97 * 97;
    QTRY_VERIFY(!loader.thumbnail(last).isNull());
    QVERIFY2(reads < 5000 + 2 * ThumbnailLoader::mostWaiting(), qPrintable(QString::number(reads)));
}

void DataPageTest::everythingHasAName() {
    Session session(RECEIPTBENCH_PROGRAM);
    QVERIFY(session.openProject(QString::fromStdString(path_)));
    DataPage page(session, nullptr);
    present(page);
    QVERIFY2(namelessWidgets(page).isEmpty(), qPrintable(namelessWidgets(page).join(u'\n')));
}

// RECEIPTBENCH_SCREENSHOTS=folder, and RECEIPTBENCH_SCREENSHOT_PROJECT for another project than the
// tiny one.
void DataPageTest::picturesForTheEye() {
    if (!qEnvironmentVariableIsSet("RECEIPTBENCH_SCREENSHOTS")) {
        QSKIP("no pictures wanted");
    }
    Session session(RECEIPTBENCH_PROGRAM);
    QVERIFY(session.openProject(
        qEnvironmentVariable("RECEIPTBENCH_SCREENSHOT_PROJECT", QString::fromStdString(path_))));
    DataPage page(session, nullptr);
    present(page);
    saveScreenshots(page, QStringLiteral("data"));
    auto* grid = part<QListView>(page, "photoGrid");
    std::vector<std::int64_t> flipped;
    for (std::size_t run = 0; run < page.gallery()->runs.size() && flipped.empty(); ++run) {
        const auto& rows = page.gallery()->runs[run].rows;
        for (std::size_t row = 0; row < rows.size(); ++row) {
            if (rows[row].change == DecisionChange::AcceptToReject) {
                flipped.push_back(static_cast<std::int64_t>(row));
            }
        }
    }
    session.requestPhotos(QStringLiteral("Accepted by the baseline, rejected by this run"),
                          flipped);
    QTest::qWait(300);
    saveScreenshots(page, QStringLiteral("data-asked"));
    grid->setFocus();
    QTest::keyClick(grid, Qt::Key_Return);
    saveScreenshots(page, QStringLiteral("data-enlarged"));
    page.resize(660, 640);
    QTest::qWait(100);
    page.grab().save(qEnvironmentVariable("RECEIPTBENCH_SCREENSHOTS") +
                     QStringLiteral("/data-enlarged-narrow.png"));
    part<PhotoViewer>(page, "photoViewer")->closed();
    page.showAll();
    QTest::qWait(300);
    page.grab().save(qEnvironmentVariable("RECEIPTBENCH_SCREENSHOTS") +
                     QStringLiteral("/data-narrow.png"));
}

}  // namespace receiptbench

QTEST_MAIN(receiptbench::DataPageTest)
#include "data_page_test.moc"
