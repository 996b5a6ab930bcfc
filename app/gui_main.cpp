// receiptbench-gui: the window. The work itself is the command line's; see ui/session.h.
#include <QApplication>
#include <QCommandLineParser>
#include <QDir>
#include <QFileInfo>
#include <QSocketNotifier>

#include <clocale>
#include <csignal>

#include <sys/eventfd.h>
#include <unistd.h>

#include "ui/window/all_pages.h"
#include "ui/window/appearance.h"
#include "ui/window/welcome_page.h"

namespace receiptbench {
namespace {

int wakeUp = -1;  // a signal handler may only write to it

extern "C" void onEndSignal(int) {
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = ::write(wakeUp, &one, sizeof one);
}

// SIGINT and SIGTERM close the window as its button does: the job ends at its boundary first.
void closeOnSignals(MainWindow& window) {
    wakeUp = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (wakeUp < 0) {
        return;
    }
    auto* notifier = new QSocketNotifier(wakeUp, QSocketNotifier::Read, &window);
    QObject::connect(notifier, &QSocketNotifier::activated, &window, [&window] {
        std::uint64_t count = 0;
        [[maybe_unused]] const auto read = ::read(wakeUp, &count, sizeof count);
        window.close();
    });
    struct sigaction action = {};
    action.sa_handler = onEndSignal;
    ::sigemptyset(&action.sa_mask);
    action.sa_flags = SA_RESTART;
    ::sigaction(SIGINT, &action, nullptr);
    ::sigaction(SIGTERM, &action, nullptr);
}

// The command line is built and installed beside the window.
std::string commandLineProgram() {
    return QDir(QCoreApplication::applicationDirPath())
        .filePath(QStringLiteral("receiptbench"))
        .toStdString();
}

struct Wish {
    QString project, example;
};

Wish parse(const QApplication& application) {
    QCommandLineParser parser;
    parser.setApplicationDescription(
        QStringLiteral("Trains a receipt-quality classifier under a memory budget and proves that "
                       "the result is preserved."));
    parser.addHelpOption();
    parser.addVersionOption();
    const QCommandLineOption example(QStringLiteral("example"),
                                     QStringLiteral("Start the example in this new folder."),
                                     QStringLiteral("OUT"));
    parser.addOption(example);
    parser.addPositionalArgument(QStringLiteral("project"),
                                 QStringLiteral("Project folder, or images to import."),
                                 QStringLiteral("[project]"));
    parser.process(application);
    const auto named = [](const QString& path) {
        return path.isEmpty() ? path : QDir(path).absolutePath();
    };
    return {named(parser.positionalArguments().value(0)), named(parser.value(example))};
}

void fulfil(MainWindow& window, const Wish& wish) {
    if (!wish.example.isEmpty()) {
        window.welcome()->startExample(wish.example);
    } else if (QFileInfo::exists(wish.project) &&
               !QFileInfo::exists(QDir(wish.project).filePath(QStringLiteral("project.json")))) {
        window.welcome()->askForImport(wish.project);
    } else if (!wish.project.isEmpty()) {
        window.welcome()->open(wish.project);  // a wrong name is said on the welcome page
    }
}

}  // namespace
}  // namespace receiptbench

int main(int argc, char** argv) {
    using namespace receiptbench;
    QApplication application(argc, argv);
    std::setlocale(LC_NUMERIC,
                   "C");  // Qt has set the user's: a number in a file looks the same everywhere
    QApplication::setApplicationName(QStringLiteral("receiptbench"));
    QApplication::setApplicationVersion(QStringLiteral(RECEIPTBENCH_VERSION));
    QApplication::setDesktopFileName(QStringLiteral("io.github.receiptbench.receiptbench"));
    const auto wish = parse(application);
    AppearanceKeeper appearance;
    Session session(commandLineProgram());
    MainWindow window(session, allPages(), &appearance);
    closeOnSignals(window);
    window.show();
    QMetaObject::invokeMethod(
        &window, [&window, wish] { fulfil(window, wish); }, Qt::QueuedConnection);
    return QApplication::exec();
}
