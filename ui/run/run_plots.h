// The four plots of a run: what its updates took, how fast they were, how well they went.
#pragma once

#include <QWidget>

#include <vector>

#include "core/contract/update_record.h"

namespace receiptbench {

class PlotGroup;
class PlotWidget;

struct DrawnRun {
    QString name;
    int look = 0;  // see seriesColour
    const std::vector<UpdateRecord>* updates = nullptr;
};

class RunPlots : public QWidget {
    Q_OBJECT

 public:
    explicit RunPlots(QWidget* parent);

    // The first run is the one whose memory, skipped updates and scale are shown; speed and loss
    // are drawn for all. limit: bytes, 0: none.
    void draw(const std::vector<DrawnRun>& runs, std::int64_t limit);
    void grow(const DrawnRun& run);  // one that is shown, by what has come since

    bool follows() const;
    void setFollow(bool on);
    PlotWidget *memory, *speed, *loss, *skips;

 Q_SIGNALS:
    void followChanged(bool on);

 private:
    struct Line {
        QString run;
        int speed = 0, loss = 0;
        std::size_t drawn = 0;  // records
        bool first = false;
    };
    void addTo(Line& line, const std::vector<UpdateRecord>& updates);

    PlotGroup* group_;
    std::vector<Line> lines_;
    int skipped_ = 0, scale_ = 0;
};

}  // namespace receiptbench
