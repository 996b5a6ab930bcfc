// What the window remembers: preferences below $XDG_CONFIG_HOME, layout and recent projects below
// $XDG_STATE_HOME.
#pragma once

#include <QByteArray>
#include <QString>
#include <QStringList>

namespace receiptbench {

enum class Appearance { System, Light, Dark };

struct WindowLayout {
    QByteArray geometry, docks;
    bool runs = true, inspector = true, panel = false;
};

class WindowSettings {
 public:
    static QString stateFile();
    static QString preferencesFile();
    // A folder below $XDG_DATA_HOME/receiptbench that does not exist yet: "example", "example-2",
    // ...
    static QString freshProjectFolder(const QString& base);

    static QStringList recentProjects();  // newest first, existing ones only
    static void addRecentProject(const QString& folder);
    static void forgetRecentProject(const QString& folder);

    static WindowLayout layout();
    static void saveLayout(const WindowLayout& layout);

    static Appearance appearance();
    static void setAppearance(Appearance appearance);
};

}  // namespace receiptbench
