#include "ui/plots/plot_ticks.h"

#include <qcustomplot.h>

#include <cmath>

namespace receiptbench {
namespace {

constexpr int kTicks = 5, kDigits = 6;
constexpr double kFewPowers = 4, kPowersOfTwo = 200;  // upper / lower of the range

QString tickText(double value) {
    return QLocale::c().toString(value == 0 ? 0.0 : value, 'g', kDigits);
}

class LinearTicks : public QCPAxisTicker {
 public:
    LinearTicks(double unit, bool whole) : unit_(unit), whole_(whole) { setTickCount(kTicks); }

 protected:
    double getTickStep(const QCPRange& range) override {
        const double step =
            QCPAxisTicker::getTickStep(QCPRange(range.lower / unit_, range.upper / unit_));
        return unit_ * (whole_ ? std::max(1.0, std::round(step)) : step);
    }
    int getSubTickCount(double) override { return 0; }
    QString getTickLabel(double tick, const QLocale&, QChar, int) override {
        return tickText(tick / unit_);
    }

 private:
    double unit_;
    bool whole_;
};

class LogarithmicTicks : public QCPAxisTickerLog {
 public:
    explicit LogarithmicTicks(double unit) : unit_(unit), linear_(unit, false) {}

    void generate(const QCPRange& range, const QLocale& locale, QChar format, int precision,
                  QVector<double>& ticks, QVector<double>* subTicks,
                  QVector<QString>* labels) override {
        const double ratio = range.lower > 0 ? range.upper / range.lower : 1;
        if (ratio < kFewPowers) {
            linear_.generate(range, locale, format, precision, ticks, subTicks, labels);
            return;
        }
        setLogBase(ratio < kPowersOfTwo ? 2 : 10);
        QCPAxisTickerLog::generate(range, locale, format, precision, ticks, subTicks, labels);
    }

 protected:
    QString getTickLabel(double tick, const QLocale&, QChar, int) override {
        return tickText(tick / unit_);
    }

 private:
    double unit_;
    LinearTicks linear_;
};

}  // namespace

QSharedPointer<QCPAxisTicker> makeLinearTicks(double unit, bool whole) {
    return QSharedPointer<LinearTicks>::create(unit, whole);
}

QSharedPointer<QCPAxisTicker> makeLogarithmicTicks(double unit) {
    return QSharedPointer<LogarithmicTicks>::create(unit);
}

}  // namespace receiptbench
