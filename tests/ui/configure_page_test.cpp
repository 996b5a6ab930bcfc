// The Configure page: what is refused is said at the field with a way out, what is sent is what is
// shown, and a real project is frozen, planned and started by its buttons.
#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QSignalSpy>
#include <QSlider>
#include <QTabBar>
#include <QTemporaryDir>
#include <QtTest>

#include "core/base/text.h"
#include "core/workbench/catalogue.h"
#include "tests/support/german_locale.h"
#include "tests/ui/screenshots.h"
#include "tests/ui/window_walk.h"
#include "tests/workbench/tiny_project.h"
#include "ui/command_line.h"
#include "ui/configure/configure_page.h"
#include "ui/configure/peak_bar.h"
#include "ui/configure/plan_table.h"
#include "ui/state_pane.h"

namespace receiptbench {

class ConfigurePageTest : public QObject {
    Q_OBJECT

 private:
    static constexpr int kPatience = 120000;  // milliseconds
    QTemporaryDir folder_;
    int number_ = 0;

    QString freshFolder() { return folder_.filePath(QStringLiteral("p%1").arg(++number_)); }
    // Nothing imported, nothing frozen.
    QString emptyProject() {
        const auto path = freshFolder();
        Project::create(posixFileSystem(), path.toStdString(), "embedded example");
        return path;
    }
    QString importedProject(const std::vector<std::string>& labels, bool readableOnly) {
        const auto path = emptyProject();
        Catalogue catalogue;
        catalogue.root = path.toStdString();
        for (const auto& label : labels) {
            const auto name = std::to_string(catalogue.items.size());
            catalogue.items.push_back({name + ".png", label, name, "", std::string(64, 'a'), 0});
        }
        saveCatalogue(Project::open(posixFileSystem(), path.toStdString()), catalogue,
                      readableOnly);
        return path;
    }
    template <typename Widget>
    static Widget* find(const QWidget& page, const char* name) {
        auto* found = page.findChild<Widget*>(QString::fromLatin1(name));
        if (found == nullptr) {
            qFatal("no %s", name);
        }
        return found;
    }
    static QLineEdit* line(const QWidget& page, const char* field) {
        return find<QLineEdit>(page, (std::string("field-") + field).c_str());
    }
    static void type(const QWidget& page, const char* field, const char* text) {
        auto* editor = line(page, field);
        editor->selectAll();
        QTest::keyClicks(editor, QString::fromUtf8(text));
    }
    static QString problem(const QWidget& page, const char* field) {
        auto* label = find<QLabel>(page, (std::string("problem-") + field).c_str());
        return label->isVisible() ? label->text() : QString();
    }
    static QPushButton* fix(const QWidget& page, const char* field) {
        return find<QPushButton>(page, (std::string("fix-") + field).c_str());
    }
    static void choose(const QWidget& page, const char* field, const char* text) {
        auto* combo = find<QComboBox>(page, (std::string("field-") + field).c_str());
        combo->setCurrentIndex(combo->findText(QString::fromLatin1(text)));
        Q_EMIT combo->activated(combo->currentIndex());
    }
    static QString command(const QWidget& page) {
        return find<QPlainTextEdit>(page, "commandLine")->toPlainText();
    }
    static void click(const QWidget& page, const char* name) {
        auto* button = find<QPushButton>(page, name);
        for (auto* parent = button->parentWidget(); parent; parent = parent->parentWidget()) {
            if (auto* area = qobject_cast<QScrollArea*>(parent)) {
                area->ensureWidgetVisible(button);
            }
        }
        QVERIFY2(button->isVisible() && button->isEnabled(), name);
        QTest::mouseClick(button, Qt::LeftButton);
    }
    static void present(ConfigurePage& page) {
        page.resize(1200, 900);
        page.show();
        QVERIFY(QTest::qWaitForWindowExposed(&page));
        QTRY_VERIFY(!page.isLoading());
    }
    static void waitFor(Session& session, const ConfigurePage& page) {
        QVERIFY(session.waitForIdle(kPatience));
        QVERIFY2(session.job().state == JobState::Finished, qPrintable(session.job().error));
        QTRY_VERIFY(!page.isLoading());
    }
    // The tiny project's values, typed.
    static void typeTiny(const ConfigurePage& page) {
        type(page, "data.syntheticIdentities", "16");
        type(page, "height", "32");
        type(page, "width", "32");
        type(page, "model.width", "8");
        type(page, "examplesPerUpdate", "10");
        type(page, "updates", "6");
        type(page, "checkpointInterval", "2");
        type(page, "schedule.warmup", "2");
        type(page, "memoryLimit", "24 MiB");
    }

 private Q_SLOTS:
    void initTestCase() {
        QVERIFY(folder_.isValid());
        applyTheme(false);
    }

    void withoutAProjectItSaysWhatToDo() {
        Session session(RECEIPTBENCH_PROGRAM);
        ConfigurePage page(session, nullptr);
        page.show();
        QCOMPARE(page.findChild<StatePane*>()->title(), QStringLiteral("No project is open"));
        QSignalSpy asked(&session, &Session::modeRequested);
        find<QPushButton>(page, "stateButton")->click();
        QCOMPARE(asked.size(), 1);
    }

    void aBrokenProjectSaysWhyAndIsReadAgain() {
        const auto path = emptyProject();
        QFile file(path + QStringLiteral("/catalogue.json"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("[]");
        file.close();
        Session session(RECEIPTBENCH_PROGRAM);
        QVERIFY(session.openProject(path));
        ConfigurePage page(session, nullptr);
        present(page);
        auto* state = page.findChild<StatePane*>();
        QCOMPARE(state->title(), QStringLiteral("The project cannot be read"));
        QVERIFY(file.remove());
        find<QPushButton>(page, "stateButton")->click();
        QTRY_VERIFY(find<QPushButton>(page, "freezeButton")->isVisible());
        QVERIFY(find<QPushButton>(page, "importButton")->isVisible());  // nothing is imported
    }

    void aCommaIsRefusedAtTheFieldAndFixed();
    void everyNumberIsRefusedWithAWayOut();
    void rulesAreTheContracts();
    void theScheduleBringsItsOwnNumbers();
    void budgetBySliderAndByText();
    void classesComeFromWhatIsImported();
    void presetsFillTheForm();
    void whatIsSentIsWhatIsShown();
    void freezePlanAndStartByTheButtons();
    void anEstimateComesBeforeFreezing();
    void aFreezeThatFailsSaysTheRemedy();
    void localeChangesNoNumber();
    void everythingFocusableHasAName();
    void aPeakOverTheBudgetIsSaid();
    void picturesForTheEye();
};

void ConfigurePageTest::aCommaIsRefusedAtTheFieldAndFixed() {
    Session session(RECEIPTBENCH_PROGRAM);
    QVERIFY(session.openProject(emptyProject()));
    ConfigurePage page(session, nullptr);
    present(page);
    type(page, "optimizer.weightDecay", "0,05");
    QVERIFY2(problem(page, "optimizer.weightDecay").contains(QStringLiteral("0,05")),
             qPrintable(problem(page, "optimizer.weightDecay")));
    // The form keeps what was typed up to the comma, and nothing can be done with it.
    QCOMPARE(page.freezeRequest().contract.optimizer.weightDecay, 0.0);
    QVERIFY(!find<QPushButton>(page, "estimateButton")->isEnabled());
    QCOMPARE(line(page, "optimizer.weightDecay")->text(), QStringLiteral("0,05"));
    QCOMPARE(line(page, "optimizer.weightDecay")->accessibleDescription(),
             problem(page, "optimizer.weightDecay"));
    auto* freeze = find<QPushButton>(page, "freezeButton");
    QVERIFY(!freeze->isEnabled());
    QVERIFY(!find<QPushButton>(page, "copyCommand")->isEnabled());
    QCOMPARE(command(page), QString());

    // By key alone: Tab goes from the field to its fix, Space takes it.
    line(page, "optimizer.weightDecay")->setFocus();
    QTest::keyClick(line(page, "optimizer.weightDecay"), Qt::Key_Tab);
    QVERIFY(fix(page, "optimizer.weightDecay")->hasFocus());
    QTest::keyClick(fix(page, "optimizer.weightDecay"), Qt::Key_Space);
    QCOMPARE(problem(page, "optimizer.weightDecay"), QString());
    QCOMPARE(line(page, "optimizer.weightDecay")->text(), QStringLiteral("0.05"));
    QCOMPARE(page.freezeRequest().contract.optimizer.weightDecay, 0.05);
    QVERIFY(line(page, "optimizer.weightDecay")->hasFocus());
    QVERIFY(freeze->isEnabled());
}

void ConfigurePageTest::everyNumberIsRefusedWithAWayOut() {
    ExperimentForm facts;
    const auto form = freshForm(facts);
    for (const auto& field : formFields()) {
        if (field.kind != FieldKind::Line) {
            continue;
        }
        QVERIFY2(!problemOf(field, form, field.get(form)), field.name.c_str());
        for (const char* wrong : {"-3,5 x", "1e999", "0x10"}) {
            const auto found = problemOf(field, form, QString::fromLatin1(wrong));
            if (field.name == "name" && !found) {
                continue;  // such a name is fine
            }
            QVERIFY2(found && !found->message.isEmpty(), field.name.c_str());
            QVERIFY2(field.name == "name" || field.name == "microbatch" ||
                         !problemOf(field, form, found->proposal),
                     field.name.c_str());
        }
    }
}

// The page has no list of limits: whatever core refuses is refused at that field, and nothing else.
void ConfigurePageTest::rulesAreTheContracts() {
    const struct {
        const char *field, *text, *allowed, *proposal;
    } cases[] = {{"model.width", "30", "multiple of 8", "32"},
                 {"updates", "0", "1 to", "200"},
                 {"updates", "2.6", "whole number", "3"},
                 {"acceptanceThreshold", "50", "between 0 and 1", "0.5"},
                 {"acceptanceThreshold", "nan", "between 0 and 1", "0.5"},
                 {"optimizer.learningRate", "-0.01", "above 0", "0.01"},
                 {"height", "8", "16 to 4096", "256"},
                 {"data.validationShare", "20", "0.2 puts a fifth", "0.2"},
                 {"data.syntheticIdentities", "1", "", "450"},
                 {"memoryLimit", "1,5 GiB", "64 MiB or 1.5 GiB", "1.5 GiB"},
                 {"memoryLimit", "-1", "no size", "1"}};
    const auto form = freshForm({});
    for (const auto& each : cases) {
        const auto& all = formFields();
        const auto field = std::find_if(
            all.begin(), all.end(), [&](const FieldSpec& spec) { return spec.name == each.field; });
        const auto found = problemOf(*field, form, QString::fromUtf8(each.text));
        QVERIFY2(found, each.text);
        QVERIFY2(found->message.contains(QString::fromUtf8(each.allowed)),
                 qPrintable(found->message));
        QCOMPARE(found->proposal, QString::fromUtf8(each.proposal));
    }
}

void ConfigurePageTest::theScheduleBringsItsOwnNumbers() {
    Session session(RECEIPTBENCH_PROGRAM);
    QVERIFY(session.openProject(emptyProject()));
    ConfigurePage page(session, nullptr);
    present(page);
    QVERIFY(line(page, "schedule.warmup")->isVisible());
    QVERIFY(!line(page, "schedule.every")->isVisible());
    choose(page, "schedule.name", "step");
    QVERIFY(!line(page, "schedule.warmup")->isVisible());
    QVERIFY(line(page, "schedule.every")->isVisible());
    QVERIFY(page.freezeRequest().contract.schedule.every > 0);
    QVERIFY(find<QPushButton>(page, "freezeButton")->isEnabled());
    QVERIFY(command(page).contains(QStringLiteral("--step-every")));
    type(page, "schedule.every", "0");
    QVERIFY(!problem(page, "schedule.every").isEmpty());
    choose(page, "schedule.name", "onecycle");  // what is hidden holds nobody up
    QVERIFY(find<QPushButton>(page, "freezeButton")->isEnabled());
    validateContract([&] {
        auto contract = page.freezeRequest().contract;
        contract.labels = LabelMap({"readable", "blurred"});
        return contract;
    }());
}

void ConfigurePageTest::budgetBySliderAndByText() {
    Session session(RECEIPTBENCH_PROGRAM);
    QVERIFY(session.openProject(emptyProject()));
    ConfigurePage page(session, nullptr);
    present(page);
    auto* slider = find<QSlider>(page, "budgetSlider");
    type(page, "memoryLimit", "64 MiB");
    QCOMPARE(page.freezeRequest().memoryLimit, std::int64_t{64} << 20);
    const int at = slider->value();
    QTest::keyClick(slider, Qt::Key_PageUp);  // an octave
    QCOMPARE(slider->value(), at + 8);
    QCOMPARE(page.freezeRequest().memoryLimit, std::int64_t{128} << 20);
    QCOMPARE(line(page, "memoryLimit")->text(), QStringLiteral("128 MiB"));
    type(page, "memoryLimit", "0");
    QVERIFY(!problem(page, "memoryLimit").isEmpty());
    type(page, "memoryLimit", "none");
    QCOMPARE(page.freezeRequest().memoryLimit, std::int64_t{0});
    for (const std::int64_t bytes : {1LL, 1024LL, 1025LL, 34603008LL, 1LL << 34}) {
        QCOMPARE(*parseBytes(budgetText(bytes).toStdString()), bytes);
    }
}

void ConfigurePageTest::classesComeFromWhatIsImported() {
    Session session(RECEIPTBENCH_PROGRAM);
    ConfigurePage page(session, nullptr);
    present(page);
    QVERIFY(session.openProject(importedProject({"good", "bad", "good"}, false)));
    QTRY_VERIFY(!page.isLoading());
    auto* accept = find<QComboBox>(page, "field-acceptLabel");
    QCOMPARE(accept->count(), 2);
    QCOMPARE(QString::fromStdString(page.freezeRequest().contract.acceptLabel),
             QStringLiteral("bad"));  // readable is none of them: the first one
    QCOMPARE(page.freezeRequest().data.syntheticIdentities, std::int64_t{0});
    QVERIFY(!line(page, "data.syntheticIdentities")->isVisible());
    QVERIFY(find<QPushButton>(page, "freezeButton")->isEnabled());

    QVERIFY(session.openProject(importedProject({"readable", "readable"}, false)));
    QTRY_VERIFY(!page.isLoading() && accept->count() == 3);
    QVERIFY(!problem(page, "data.derive").isEmpty());
    fix(page, "data.derive")->click();
    QVERIFY(page.freezeRequest().data.derive);
    QVERIFY(find<QPushButton>(page, "freezeButton")->isEnabled());

    QVERIFY(session.openProject(importedProject({"readable"}, true)));
    QTRY_VERIFY(!page.isLoading());
    auto* derive = find<QCheckBox>(page, "field-data.derive");
    QVERIFY(derive->isChecked() && !derive->isEnabled());
}

void ConfigurePageTest::presetsFillTheForm() {
    Session session(RECEIPTBENCH_PROGRAM);
    QVERIFY(session.openProject(emptyProject()));
    ConfigurePage page(session, nullptr);
    present(page);
    auto* preset = find<QComboBox>(page, "presetBox");
    QCOMPARE(preset->currentText(), QStringLiteral("Standard"));
    type(page, "memoryLimit", "48 MiB");
    preset->setCurrentIndex(0);
    Q_EMIT preset->activated(0);
    QCOMPARE(line(page, "height")->text(), QStringLiteral("128"));
    QCOMPARE(page.freezeRequest().data.height, std::int64_t{128});
    QCOMPARE(page.freezeRequest().memoryLimit, std::int64_t{48} << 20);  // the user's
    QCOMPARE(preset->currentIndex(), 0);
    type(page, "updates", "77");
    QCOMPARE(preset->currentText(), QStringLiteral("Your own values"));
    type(page, "updates", "many");
    preset->setCurrentIndex(1);
    Q_EMIT preset->activated(1);
    QCOMPARE(problem(page, "updates"), QString());
    QCOMPARE(line(page, "updates")->text(), QStringLiteral("200"));
}

void ConfigurePageTest::whatIsSentIsWhatIsShown() {
    Session session(RECEIPTBENCH_PROGRAM);
    const auto path = emptyProject();
    QVERIFY(session.openProject(path));
    ConfigurePage page(session, nullptr);
    present(page);
    typeTiny(page);
    type(page, "optimizer.learningRate", "0.0015");
    type(page, "data.validationShare", "0.25");
    type(page, "seed", "7");
    type(page, "clipNorm", "0");
    type(page, "acceptanceThreshold", "0.6");
    type(page, "nearThresholdBand", "0.1");
    type(page, "nonInferiorityMargin", "0.03");
    choose(page, "optimizer.name", "sgd");
    type(page, "optimizer.momentum", "0.9");
    choose(page, "lastUpdate", "drop");
    choose(page, "acceptLabel", "blurred");
    auto expected = tinyRequest();
    expected.memoryLimit = 24 << 20;
    expected.data.validationShare = 0.25;
    expected.data.seed = expected.contract.seed = 7;
    expected.contract.optimizer.learningRate = 0.0015;
    expected.contract.optimizer.name = "sgd";
    expected.contract.optimizer.momentum = 0.9;
    expected.contract.clipNorm = 0;
    expected.contract.acceptanceThreshold = 0.6;
    expected.contract.nearThresholdBand = 0.1;
    expected.contract.nonInferiorityMargin = 0.03;
    expected.contract.lastUpdate = LastUpdateRule::Drop;
    expected.contract.acceptLabel = "blurred";
    const auto sent = page.freezeRequest();
    QVERIFY(sent.contract == expected.contract);
    QCOMPARE(freezeCommand(path, sent), freezeCommand(path, expected));
    QCOMPARE(command(page), freezeCommand(path, expected));
    QCOMPARE(sent.memoryLimit, expected.memoryLimit);
    QCOMPARE(sent.data.validationShare, 0.25);
    QCOMPARE(sent.data.seed, std::uint64_t{7});
    find<QPushButton>(page, "copyCommand")->click();
    QCOMPARE(QApplication::clipboard()->text(), command(page));
}

void ConfigurePageTest::freezePlanAndStartByTheButtons() {
    Session session(RECEIPTBENCH_PROGRAM);
    const auto path = emptyProject();
    QVERIFY(session.openProject(path));
    ConfigurePage page(session, nullptr);
    present(page);
    typeTiny(page);
    QVERIFY(!find<QPushButton>(page, "startButton")->isEnabled());
    const auto said = command(page);
    auto expected = page.freezeRequest().contract;
    click(page, "freezeButton");
    QVERIFY(session.busy());
    QCOMPARE(session.commandLine(), said);
    QVERIFY(!find<QPushButton>(page, "freezeButton")->isEnabled());
    waitFor(session, page);

    const auto frozen = session.project()->contract();
    expected.labels = frozen.contract.labels;  // what only the photos can tell
    expected.splitDigest = frozen.contract.splitDigest;
    expected.datasetDigest = frozen.contract.datasetDigest;
    expected.trainExamples = frozen.contract.trainExamples;
    expected.validationExamples = frozen.contract.validationExamples;
    expected.model.revision = frozen.contract.model.revision;
    QVERIFY(frozen.contract == expected);
    QCOMPARE(frozen.environment.memoryLimit, std::int64_t{24} << 20);
    QVERIFY(find<QLabel>(page, "configureState")->text().contains(QStringLiteral("locked")));
    QVERIFY(
        find<QLabel>(page, "contractHash")->text().endsWith(QString::fromStdString(frozen.hash)));
    for (const auto& field : formFields()) {
        auto* editor = find<QWidget>(page, ("field-" + field.name).c_str());
        const auto* text = qobject_cast<QLineEdit*>(editor);
        const bool locked = text != nullptr ? text->isReadOnly() : !editor->isEnabled();
        QCOMPARE(locked, field.group != FieldGroup::Run);
    }
    QVERIFY(!find<QPushButton>(page, "freezeButton")->isVisible());
    QVERIFY(!find<QPushButton>(page, "estimateButton")->isVisible());

    choose(page, "precision", "bf16");  // there is no baseline yet
    QVERIFY(problem(page, "precision").contains(QStringLiteral("fp32")));
    QVERIFY(!find<QPushButton>(page, "startButton")->isEnabled());
    fix(page, "precision")->click();
    QCOMPARE(toString(page.trainRequest().precision), std::string("fp32"));

    click(page, "planButton");
    waitFor(session, page);
    const auto plan = storedPlan(*session.project(), Precision::Fp32);
    QVERIFY(plan && plan->chosen);
    auto* table = find<PlanTable>(page, "planTable");
    QTRY_COMPARE(table->rowCount(), static_cast<int>(plan->probes.size()));
    QCOMPARE(table->item(table->chosenRow(), PlanTable::Microbatch)->text(),
             QString::number(plan->chosen->microbatch));
    QCOMPARE(table->item(table->chosenRow(), PlanTable::Word)->text(), QStringLiteral("chosen"));
    QCOMPARE(find<QTabBar>(page, "planTabs")->count(), 1);
    QVERIFY(find<PeakBar>(page, "peakBar")->words().contains(QStringLiteral("within the budget")));

    type(page, "microbatch", "11");
    QVERIFY(problem(page, "microbatch").contains(QStringLiteral("10")));
    type(page, "microbatch", "4");
    type(page, "name", "../x");
    QVERIFY(!problem(page, "name").isEmpty());
    type(page, "name", "first");
    auto wanted = TrainRequest();
    wanted.microbatch = 4;
    wanted.name = "first";
    QCOMPARE(command(page).section(u'\n', 1), trainCommand(path, wanted));
    QSignalSpy asked(&session, &Session::modeRequested);
    click(page, "startButton");
    QCOMPARE(asked.size(), 1);
    QVERIFY(asked.front().front().value<Mode>() == Mode::Run);
    QCOMPARE(session.commandLine(), trainCommand(path, wanted));
    waitFor(session, page);
    QCOMPARE(session.runs().size(), std::size_t{1});
    QCOMPARE(QString::fromStdString(session.runs()[0].description.name), QStringLiteral("first"));
    QCOMPARE(session.runs()[0].description.plan.microbatch, std::int64_t{4});
    choose(page, "precision", "bf16");  // now there is one
    QCOMPARE(problem(page, "precision"), QString());
    QVERIFY(find<QPushButton>(page, "startButton")->isEnabled());
}

void ConfigurePageTest::anEstimateComesBeforeFreezing() {
    Session session(RECEIPTBENCH_PROGRAM);
    QVERIFY(session.openProject(emptyProject()));
    ConfigurePage page(session, nullptr);
    present(page);
    typeTiny(page);
    type(page, "memoryLimit", "none");
    QVERIFY(find<PeakBar>(page, "peakBar")->isEmpty());
    click(page, "estimateButton");
    QVERIFY(session.busy());
    waitFor(session, page);
    QVERIFY(!session.project()->isFrozen());
    auto* bar = find<PeakBar>(page, "peakBar");
    QVERIFY(!bar->isEmpty());
    QVERIFY(bar->words().contains(QStringLiteral("activations")));
    QVERIFY(find<PlanTable>(page, "planTable")->chosenRow() >= 0);
    auto* use = find<QPushButton>(page, "useBudget");
    QVERIFY(use->isVisible());
    use->click();
    QVERIFY(page.freezeRequest().memoryLimit > 0);
    QVERIFY(bar->words().contains(QStringLiteral("within the budget")));
    QVERIFY(!use->isVisible());
    type(page, "height", "64");
    QVERIFY(find<QLabel>(page, "planNote")->text().contains(QStringLiteral("estimate again")));

    type(page, "height", "32");
    type(page, "memoryLimit", "300 KiB");
    click(page, "estimateButton");
    waitFor(session, page);
    QVERIFY(find<QLabel>(page, "planNote")->text().contains(QStringLiteral("Nothing fits")));
    QVERIFY(problem(page, "memoryLimit").contains(QStringLiteral("one example needs")));
    QVERIFY(!find<QPushButton>(page, "freezeButton")->isEnabled());
    fix(page, "memoryLimit")->click();
    QCOMPARE(problem(page, "memoryLimit"), QString());
    QVERIFY(find<QPushButton>(page, "freezeButton")->isEnabled());
}

void ConfigurePageTest::aFreezeThatFailsSaysTheRemedy() {
    Session session(RECEIPTBENCH_PROGRAM);
    QVERIFY(session.openProject(emptyProject()));
    ConfigurePage page(session, nullptr);
    present(page);
    typeTiny(page);
    type(page, "memoryLimit", "300 KiB");
    click(page, "freezeButton");
    QVERIFY(session.waitForIdle(kPatience));
    QVERIFY(session.job().state == JobState::Failed);
    auto* said = find<QLabel>(page, "jobText");
    QVERIFY(said->isVisible());
    QVERIFY2(said->text().contains(QStringLiteral("Remedy")), qPrintable(said->text()));
    QVERIFY(find<QPushButton>(page, "freezeButton")->isEnabled());
    type(page, "memoryLimit", "24 MiB");
    QVERIFY(!said->isVisible());
}

void ConfigurePageTest::localeChangesNoNumber() {
    const auto path = freshFolder();
    auto request = tinyRequest();
    request.memoryLimit = 24 << 20;
    const auto project = tinyProject(path.toStdString(), request);
    planProject(project, {Precision::Fp32, 24 << 20, 4, MemoryFormat::Contiguous, 2, 0.01});
    const auto texts = [&] {
        Session session(RECEIPTBENCH_PROGRAM);
        session.openProject(path);
        ConfigurePage page(session, nullptr);
        present(page);
        return visibleTexts(page);
    };
    const auto plain = texts();
    QVERIFY(plain.contains(QStringLiteral("0.002")));
    const GermanLocale german;
    QLocale::setDefault(QLocale(QLocale::German, QLocale::Germany));
    const auto abroad = texts();
    QLocale::setDefault(QLocale::c());
    QCOMPARE(abroad.join(u'\n'), plain.join(u'\n'));
    if (!german.active()) {
        QSKIP("no German locale on this machine: only Qt's was tried");
    }
}

void ConfigurePageTest::everythingFocusableHasAName() {
    Session session(RECEIPTBENCH_PROGRAM);
    ConfigurePage page(session, nullptr);
    present(page);
    QCOMPARE(namelessWidgets(page).join(u' '), QString());
    QVERIFY(session.openProject(emptyProject()));
    QTRY_VERIFY(!page.isLoading());
    type(page, "updates", "0");
    QCOMPARE(namelessWidgets(page).join(u' '), QString());
    const auto path = freshFolder();
    tinyProject(path.toStdString());
    QVERIFY(session.openProject(path));
    QTRY_VERIFY(!page.isLoading());
    QCOMPARE(namelessWidgets(page).join(u' '), QString());
}

void ConfigurePageTest::aPeakOverTheBudgetIsSaid() {
    PeakBar bar(nullptr);
    QVERIFY(bar.isEmpty());
    MemoryPeaks peak;
    peak.total = 3 << 20;
    peak.atPeak = {1 << 20, 0, 0, 0, 2 << 20, 0};
    bar.show(peak, 2 << 20);
    QCOMPARE(bar.words(), QStringLiteral("Peak 3.0 MiB, over the budget of 2.0 MiB: parameters "
                                         "1.0 MiB, activations, workspace 2.0 MiB"));
    QCOMPARE(bar.accessibleName(), bar.words());
    bar.resize(bar.minimumSizeHint());
    QVERIFY(!bar.grab().isNull());
    bar.show(peak, 0);
    QVERIFY(bar.words().contains(QStringLiteral("no budget")));
}

// RECEIPTBENCH_SCREENSHOTS=folder, and RECEIPTBENCH_SCREENSHOT_PROJECT for a finished project.
void ConfigurePageTest::picturesForTheEye() {
    if (!qEnvironmentVariableIsSet("RECEIPTBENCH_SCREENSHOTS")) {
        QSKIP("no pictures wanted");
    }
    Session session(RECEIPTBENCH_PROGRAM);
    ConfigurePage page(session, nullptr);
    present(page);
    saveScreenshots(page, QStringLiteral("configure-none"));
    QVERIFY(session.openProject(emptyProject()));
    QTRY_VERIFY(!page.isLoading());
    auto* preset = find<QComboBox>(page, "presetBox");
    preset->setCurrentIndex(0);
    Q_EMIT preset->activated(0);
    click(page, "estimateButton");
    waitFor(session, page);
    find<QPushButton>(page, "useBudget")->click();
    type(page, "optimizer.weightDecay", "0,05");
    type(page, "model.width", "30");
    saveScreenshots(page, QStringLiteral("configure-form"));
    const auto other = qEnvironmentVariable("RECEIPTBENCH_SCREENSHOT_PROJECT");
    if (!other.isEmpty()) {
        QVERIFY(session.openProject(other));
        QTRY_VERIFY(!page.isLoading());
        saveScreenshots(page, QStringLiteral("configure-frozen"));
    }
}

}  // namespace receiptbench

QTEST_MAIN(receiptbench::ConfigurePageTest)
#include "configure_page_test.moc"
