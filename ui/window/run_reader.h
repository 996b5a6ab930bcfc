// The ledger of the selected run, read off the UI thread and again when it has grown; for inspector
// and checkpoints.
#pragma once

#include <QObject>
#include <QTimer>
#include <optional>

#include "ui/session.h"
#include "ui/window/inspector_facts.h"

namespace receiptbench {

struct RunReading {
    std::string run;
    std::optional<RunOverview> overview;
    RunHistory history;
    std::vector<CheckpointEntry> checkpoints;
    QString problem;  // why it could not be read
};

class RunReader : public QObject {
    Q_OBJECT

 public:
    explicit RunReader(Session& session, QObject* parent = nullptr);
    // Null while nothing is selected, or nothing read yet.
    const RunReading* reading() const { return reading_ ? &*reading_ : nullptr; }
    bool loading() const { return loading_; }

 Q_SIGNALS:
    void changed();

 private:
    void read();

    Session& session_;
    QTimer calm_;  // a growing ledger is read again at most this often
    std::optional<RunReading> reading_;
    bool loading_ = false, again_ = false;
};

}  // namespace receiptbench
