// The project's runs as rows; the one being trained is kept up to date from the live records.
#pragma once

#include <QAbstractListModel>

#include "ui/session.h"

namespace receiptbench {

// "31.4 of 33.0 MiB", "31.4 MiB" without a limit, "" without a peak.
QString peakText(std::int64_t peak, std::int64_t limit);
QString kindText(const std::string& kind);  // "" for an ordinary run

class RunsModel : public QAbstractListModel {
    Q_OBJECT

 public:
    enum Role {
        NameRole = Qt::UserRole + 1,
        StateRole,
        ColourRole,
        DetailRole,
        KindRole,
        PeakRole,
        SearchRole
    };

    explicit RunsModel(Session& session, QObject* parent = nullptr);
    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;

 private:
    void reload();
    void updateLive();
    QString words(const RunOverview& run) const;

    Session& session_;
    std::vector<RunOverview> runs_;
};

}  // namespace receiptbench
