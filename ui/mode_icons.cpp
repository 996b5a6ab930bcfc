#include "ui/mode_icons.h"

#include <QApplication>
#include <QCoreApplication>
#include <QPainter>
#include <QPainterPath>
#include <QPalette>
#include <QPixmap>
#include <functional>

#include "ui/theme.h"

namespace receiptbench {
namespace {

constexpr qreal kGrid = 24;  // all pictures are drawn on a square of 24 units

// Four photos.
void drawData(QPainter& painter) {
    for (const QPointF corner : {QPointF(3.5, 3.5), QPointF(13.5, 3.5), QPointF(3.5, 13.5)}) {
        painter.drawRoundedRect(QRectF(corner, QSizeF(7, 7)), 1.5, 1.5);
    }
    painter.setBrush(painter.pen().color());
    painter.drawRoundedRect(QRectF(13.5, 13.5, 7, 7), 1.5, 1.5);
}

// Three sliders.
void drawConfigure(QPainter& painter) {
    const QPointF knobs[] = {{15.5, 5.5}, {8, 12}, {13, 18.5}};
    for (const auto& knob : knobs) {
        painter.drawLine(QPointF(3, knob.y()), QPointF(knob.x() - 2.5, knob.y()));
        painter.drawLine(QPointF(knob.x() + 2.5, knob.y()), QPointF(21, knob.y()));
        painter.drawEllipse(knob, 2.5, 2.5);
    }
}

void drawRun(QPainter& painter) {
    painter.drawPolyline(QPolygonF({{3, 3}, {3, 21}, {21, 21}}));
    painter.drawPolyline(QPolygonF({{6.5, 7}, {10, 13}, {13.5, 11.5}, {20, 16.5}}));
}

// Two scales in balance.
void drawCompare(QPainter& painter) {
    painter.drawLine(QPointF(12, 3), QPointF(12, 21));
    painter.drawLine(QPointF(8, 21), QPointF(16, 21));
    painter.drawLine(QPointF(4.5, 6), QPointF(19.5, 6));
    for (const qreal x : {5.5, 18.5}) {
        painter.drawPolyline(QPolygonF({{x - 3, 14}, {x, 6.5}, {x + 3, 14}}));
        QPainterPath bowl;
        bowl.moveTo(x - 3.5, 14);
        bowl.cubicTo(x - 2.5, 18, x + 2.5, 18, x + 3.5, 14);
        bowl.closeSubpath();
        painter.drawPath(bowl);
    }
}

// A turn back to a known point.
void drawRecovery(QPainter& painter) {
    painter.drawArc(QRectF(4, 4.5, 16, 16), -150 * 16, 300 * 16);
    painter.drawPolyline(QPolygonF({{4, 3.5}, {4.6, 8.8}, {9.8, 8}}));
    painter.setBrush(painter.pen().color());
    painter.drawEllipse(QPointF(12, 12.5), 2, 2);
}

void drawReport(QPainter& painter) {
    QPainterPath page;
    page.moveTo(14, 3);
    page.lineTo(5, 3);
    page.lineTo(5, 21);
    page.lineTo(19, 21);
    page.lineTo(19, 8);
    page.closeSubpath();
    painter.drawPath(page);
    painter.drawPolyline(QPolygonF({{14, 3}, {14, 8}, {19, 8}}));
    for (const qreal y : {12.0, 15.0, 18.0}) {
        painter.drawLine(QPointF(8, y), QPointF(y > 17 ? 13 : 16, y));
    }
}

void drawWelcome(QPainter& painter) {
    painter.drawPolyline(QPolygonF({{3, 12}, {12, 4}, {21, 12}}));
    painter.drawPolyline(QPolygonF({{5.5, 10}, {5.5, 20}, {18.5, 20}, {18.5, 10}}));
    painter.drawPolyline(QPolygonF({{10, 20}, {10, 14}, {14, 14}, {14, 20}}));
}

void prepare(QPainter& painter, const QRectF& square, const QColor& colour) {
    painter.setRenderHint(QPainter::Antialiasing);
    painter.translate(square.topLeft());
    painter.scale(square.width() / kGrid, square.height() / kGrid);
    painter.setPen(QPen(colour, 1.7, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter.setBrush(Qt::NoBrush);
}

QIcon drawnIcon(const std::function<void(QPainter&, const QRectF&)>& draw) {
    QIcon icon;
    for (const int size : {16, 24, 32, 64, 128}) {
        QPixmap pixmap(size, size);
        pixmap.fill(Qt::transparent);
        QPainter painter(&pixmap);
        draw(painter, QRectF(0, 0, size, size));
        painter.end();
        icon.addPixmap(pixmap);
    }
    return icon;
}

void drawState(QPainter& painter, RunState state) {
    painter.setBrush(painter.pen().color());
    switch (state) {
        case RunState::Running:
            painter.drawPolygon(QPolygonF({{7, 4.5}, {19, 12}, {7, 19.5}}));
            break;
        case RunState::Stopped:
            painter.drawRect(QRectF(6, 6, 12, 12));
            break;
        case RunState::Finished:
        case RunState::Failed:
        case RunState::Interrupted:
            break;
    }
}

}  // namespace

QString modeName(Mode mode) {
    const auto tr = [](const char* text) {
        return QCoreApplication::translate("receiptbench::Mode", text);
    };
    switch (mode) {
        case Mode::Welcome:
            return tr("Welcome");
        case Mode::Data:
            return tr("Data");
        case Mode::Configure:
            return tr("Configure");
        case Mode::Run:
            return tr("Run");
        case Mode::Compare:
            return tr("Compare");
        case Mode::Recovery:
            return tr("Recovery");
        case Mode::Report:
            return tr("Report");
    }
    return {};
}

void paintModeIcon(QPainter& painter, Mode mode, const QRectF& square, const QColor& colour) {
    painter.save();
    prepare(painter, square, colour);
    switch (mode) {
        case Mode::Welcome:
            drawWelcome(painter);
            break;
        case Mode::Data:
            drawData(painter);
            break;
        case Mode::Configure:
            drawConfigure(painter);
            break;
        case Mode::Run:
            drawRun(painter);
            break;
        case Mode::Compare:
            drawCompare(painter);
            break;
        case Mode::Recovery:
            drawRecovery(painter);
            break;
        case Mode::Report:
            drawReport(painter);
            break;
    }
    painter.restore();
}

QIcon modeIcon(Mode mode) {
    return drawnIcon([mode](QPainter& painter, const QRectF& square) {
        paintModeIcon(painter, mode, square, QApplication::palette().color(QPalette::WindowText));
    });
}

QIcon stopIcon() {
    return drawnIcon([](QPainter& painter, const QRectF& square) {
        prepare(painter, square, meaningColour(Meaning::Bad));
        painter.setBrush(painter.pen().color());
        painter.drawRoundedRect(QRectF(5, 5, 14, 14), 2, 2);
    });
}

// A receipt with a tick on the window's blue.
QIcon applicationIcon() {
    return drawnIcon([](QPainter& painter, const QRectF& square) {
        prepare(painter, square, Qt::white);
        painter.setPen(Qt::NoPen);
        painter.setBrush(QColor(0, 114, 178));
        painter.drawRoundedRect(QRectF(0, 0, kGrid, kGrid), 5, 5);
        painter.setBrush(Qt::white);
        painter.drawPolygon(QPolygonF({{6, 4},
                                       {18, 4},
                                       {18, 20},
                                       {16, 18.5},
                                       {14, 20},
                                       {12, 18.5},
                                       {10, 20},
                                       {8, 18.5},
                                       {6, 20}}));
        painter.setPen(QPen(QColor(0, 114, 178), 1.4, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
        painter.drawLine(QPointF(8.5, 7), QPointF(15.5, 7));
        painter.setPen(QPen(QColor(0, 122, 90), 2.2, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
        painter.setBrush(Qt::NoBrush);
        painter.drawPolyline(QPolygonF({{8.5, 12.5}, {11, 15}, {15.5, 10}}));
    });
}

QIcon runStateIcon(RunState state) {
    switch (state) {
        case RunState::Finished:
            return meaningIcon(Meaning::Good);
        case RunState::Failed:
            return meaningIcon(Meaning::Bad);
        case RunState::Interrupted:
            return meaningIcon(Meaning::Caution);
        default:
            break;
    }
    return drawnIcon([state](QPainter& painter, const QRectF& square) {
        prepare(painter, square, runStateColour(state));
        drawState(painter, state);
    });
}

QColor runStateColour(RunState state) {
    switch (state) {
        case RunState::Running:
            return seriesColour(0);
        case RunState::Finished:
            return meaningColour(Meaning::Good);
        case RunState::Failed:
            return meaningColour(Meaning::Bad);
        case RunState::Interrupted:
            return meaningColour(Meaning::Caution);
        case RunState::Stopped:
            break;
    }
    return meaningColour(Meaning::Neutral);
}

QString runStateWord(RunState state) {
    const auto tr = [](const char* text) {
        return QCoreApplication::translate("receiptbench::RunState", text);
    };
    switch (state) {
        case RunState::Running:
            return tr("Running");
        case RunState::Finished:
            return tr("Finished");
        case RunState::Stopped:
            return tr("Stopped");
        case RunState::Failed:
            return tr("Failed");
        case RunState::Interrupted:
            return tr("Interrupted");
    }
    return {};
}

}  // namespace receiptbench
