#include "ui/window/appearance.h"

#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>
#include <QDBusVariant>

#include "ui/theme.h"

namespace receiptbench {
namespace {

constexpr auto kService = "org.freedesktop.portal.Desktop";
constexpr auto kPath = "/org/freedesktop/portal/desktop";
constexpr auto kInterface = "org.freedesktop.portal.Settings";
constexpr auto kGroup = "org.freedesktop.appearance";
constexpr auto kKey = "color-scheme";
constexpr uint kPreferDark = 1;  // 0: no preference, 2: prefer light

// Older portals wrap the value in a second variant.
uint schemeOf(QVariant value) {
    while (value.canConvert<QDBusVariant>()) {
        value = value.value<QDBusVariant>().variant();
    }
    return value.toUInt();
}

}  // namespace

AppearanceKeeper::AppearanceKeeper(QObject* parent)
    : QObject(parent), wanted_(WindowSettings::appearance()), systemIsDark_(isDark()) {
    apply();
    askPortal();
}

void AppearanceKeeper::setWanted(Appearance appearance) {
    wanted_ = appearance;
    WindowSettings::setAppearance(appearance);
    apply();
}

void AppearanceKeeper::askPortal() {
    auto bus = QDBusConnection::sessionBus();
    if (!bus.isConnected()) {
        return;  // no desktop: what the palette said at first stays
    }
    bus.connect(QLatin1String(kService), QLatin1String(kPath), QLatin1String(kInterface),
                QStringLiteral("SettingChanged"), this,
                SLOT(portalChanged(QString, QString, QDBusVariant)));
    auto call = QDBusMessage::createMethodCall(QLatin1String(kService), QLatin1String(kPath),
                                               QLatin1String(kInterface), QStringLiteral("Read"));
    call << QString::fromLatin1(kGroup) << QString::fromLatin1(kKey);
    auto* watcher = new QDBusPendingCallWatcher(bus.asyncCall(call), this);
    connect(watcher, &QDBusPendingCallWatcher::finished, this, [this, watcher] {
        watcher->deleteLater();
        const QDBusPendingReply<QDBusVariant> reply = *watcher;
        if (reply.isValid()) {
            portalChanged(QString::fromLatin1(kGroup), QString::fromLatin1(kKey), reply.value());
        }
    });
}

void AppearanceKeeper::portalChanged(const QString& group, const QString& key,
                                     const QDBusVariant& value) {
    if (group == QLatin1String(kGroup) && key == QLatin1String(kKey)) {
        systemIsDark_ = schemeOf(value.variant()) == kPreferDark;
        apply();
    }
}

void AppearanceKeeper::apply() {
    applyTheme(wanted_ == Appearance::Dark || (wanted_ == Appearance::System && systemIsDark_));
}

}  // namespace receiptbench
