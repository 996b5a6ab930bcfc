#include "ui/window/window_settings.h"

#include <QDir>
#include <QFileInfo>
#include <QRegularExpression>
#include <QSettings>

namespace receiptbench {
namespace {

constexpr int kRecentProjects = 8;
constexpr auto kRecent = "recentProjects";

// Qt 6.4 knows no place for state; the standard also says that a relative path is to be ignored.
QString baseFolder(const char* variable, const char* usual) {
    const QString named = qEnvironmentVariable(variable);
    return QDir::isAbsolutePath(named) ? named : QDir::home().filePath(QString::fromLatin1(usual));
}

QString ours(const QString& base, const QString& name) {
    return QDir(base).filePath(QStringLiteral("receiptbench/") + name);
}

QSettings state() {
    return QSettings(WindowSettings::stateFile(), QSettings::IniFormat);
}
QSettings preferences() {
    return QSettings(WindowSettings::preferencesFile(), QSettings::IniFormat);
}

}  // namespace

QString WindowSettings::stateFile() {
    return ours(baseFolder("XDG_STATE_HOME", ".local/state"), QStringLiteral("window.ini"));
}

QString WindowSettings::preferencesFile() {
    return ours(baseFolder("XDG_CONFIG_HOME", ".config"), QStringLiteral("preferences.ini"));
}

QString WindowSettings::freshProjectFolder(const QString& base) {
    QString name = base.trimmed();
    name.replace(QRegularExpression(QStringLiteral("[^A-Za-z0-9._-]+")), QStringLiteral("-"));
    name.remove(QRegularExpression(QStringLiteral("^[.-]+")));
    if (name.isEmpty()) {
        name = QStringLiteral("project");
    }
    const QString data = baseFolder("XDG_DATA_HOME", ".local/share");
    QString folder = ours(data, name);
    for (int number = 2; QFileInfo::exists(folder); ++number) {
        folder = ours(data, QStringLiteral("%1-%2").arg(name).arg(number));
    }
    return folder;
}

QStringList WindowSettings::recentProjects() {
    QStringList existing;
    for (const auto& folder : state().value(QLatin1String(kRecent)).toStringList()) {
        if (QFileInfo::exists(QDir(folder).filePath(QStringLiteral("project.json")))) {
            existing << folder;
        }
    }
    return existing;
}

void WindowSettings::addRecentProject(const QString& folder) {
    const QString path = QDir(folder).absolutePath();
    auto settings = state();
    auto folders = settings.value(QLatin1String(kRecent)).toStringList();
    folders.removeAll(path);
    folders.prepend(path);
    settings.setValue(QLatin1String(kRecent), folders.mid(0, kRecentProjects));
}

void WindowSettings::forgetRecentProject(const QString& folder) {
    auto settings = state();
    auto folders = settings.value(QLatin1String(kRecent)).toStringList();
    folders.removeAll(folder);
    settings.setValue(QLatin1String(kRecent), folders);
}

WindowLayout WindowSettings::layout() {
    const auto settings = state();
    const WindowLayout usual;
    return {settings.value(QStringLiteral("geometry")).toByteArray(),
            settings.value(QStringLiteral("docks")).toByteArray(),
            settings.value(QStringLiteral("runs"), usual.runs).toBool(),
            settings.value(QStringLiteral("inspector"), usual.inspector).toBool(),
            settings.value(QStringLiteral("panel"), usual.panel).toBool()};
}

void WindowSettings::saveLayout(const WindowLayout& layout) {
    auto settings = state();
    settings.setValue(QStringLiteral("geometry"), layout.geometry);
    settings.setValue(QStringLiteral("docks"), layout.docks);
    settings.setValue(QStringLiteral("runs"), layout.runs);
    settings.setValue(QStringLiteral("inspector"), layout.inspector);
    settings.setValue(QStringLiteral("panel"), layout.panel);
}

Appearance WindowSettings::appearance() {
    const auto word = preferences().value(QStringLiteral("appearance")).toString();
    return word == QLatin1String("light")  ? Appearance::Light
           : word == QLatin1String("dark") ? Appearance::Dark
                                           : Appearance::System;
}

void WindowSettings::setAppearance(Appearance appearance) {
    const char* word = appearance == Appearance::Light  ? "light"
                       : appearance == Appearance::Dark ? "dark"
                                                        : "system";
    preferences().setValue(QStringLiteral("appearance"), QString::fromLatin1(word));
}

}  // namespace receiptbench
