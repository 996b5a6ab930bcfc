// Pictures of the window to be looked at: saved when RECEIPTBENCH_SCREENSHOTS names a folder.
#pragma once

#include <QApplication>
#include <QDir>
#include <QTest>
#include <QWidget>

#include "ui/theme.h"

namespace receiptbench {

// Light and dark, at the usual and the smallest size.
inline void saveScreenshots(QWidget& window, const QString& name) {
    const QString folder = qEnvironmentVariable("RECEIPTBENCH_SCREENSHOTS");
    if (folder.isEmpty()) {
        return;
    }
    QDir().mkpath(folder);
    const QSize before = window.size();
    for (const bool dark : {false, true}) {
        applyTheme(dark);
        for (const QSize size : {QSize(1440, 900), QSize(1024, 700)}) {
            window.resize(size);
            QTest::qWait(250);
            window.grab().save(
                QStringLiteral("%1/%2-%3-%4.png")
                    .arg(folder, name, dark ? QStringLiteral("dark") : QStringLiteral("light"))
                    .arg(size.width()));
        }
    }
    applyTheme(false);
    window.resize(before);
    QTest::qWait(50);
}

}  // namespace receiptbench
