// What the runs' ledgers hold, read off the UI thread, and continued by the live run's records as
// they arrive: what is plotted is what is in the ledger.
#pragma once

#include <QObject>

#include <map>
#include <optional>
#include <set>
#include <string>

#include "ui/session.h"

namespace receiptbench {

struct LedgerReading {
    std::vector<UpdateRecord> updates;
    std::optional<GradientCheckResult> check;
    std::optional<RunFacts> facts;                           // of a finished run
    std::int64_t examplesPerUpdate = 0, updatesPlanned = 0;  // the contract's
    std::int64_t validationExamples = 0;
    QString problem;  // why it could not be read
};

class RunRecords : public QObject {
    Q_OBJECT

 public:
    explicit RunRecords(Session& session, QObject* parent = nullptr);

    // Null until it has been read; asks for it then.
    const LedgerReading* of(const QString& run);
    bool isLive(const QString& run) const;  // being trained now

 Q_SIGNALS:
    void grew(const QString& run);      // updates at the end, or what is known beside them
    void replaced(const QString& run);  // read anew, with other updates

 private:
    struct Entry {
        LedgerReading reading;
        std::string key;  // of what was read
        bool known = false, loading = false;
    };

    void projectChanged();
    void liveReset();
    void addLive();
    void read(const QString& run);
    void received(const QString& run, LedgerReading reading, const std::string& key);
    std::string keyOf(const QString& run) const;

    Session& session_;
    std::map<QString, Entry> entries_;
    std::size_t taken_ = 0;  // live records that are in their entry
    int generation_ = 0;     // of the project: what was asked of another one is dropped
};

}  // namespace receiptbench
