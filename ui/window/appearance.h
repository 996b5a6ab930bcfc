// Light or dark: as the system says, and again whenever it says something else, or as the user
// chose.
#pragma once

#include <QObject>
#include <QVariant>

#include "ui/window/window_settings.h"

class QDBusVariant;

namespace receiptbench {

// Qt 6.4 has no colorScheme(): the desktop portal is asked (org.freedesktop.appearance), without
// waiting for its answer.
class AppearanceKeeper : public QObject {
    Q_OBJECT

 public:
    explicit AppearanceKeeper(QObject* parent = nullptr);
    Appearance wanted() const { return wanted_; }
    void setWanted(Appearance appearance);  // remembered

 private Q_SLOTS:
    void portalChanged(const QString& group, const QString& key, const QDBusVariant& value);

 private:
    void askPortal();
    void apply();

    Appearance wanted_;
    bool systemIsDark_;
};

}  // namespace receiptbench
