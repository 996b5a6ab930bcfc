// The report before it is a file: its pages as they will be, the parts it has, and its export.
#pragma once

#include <QPointer>
#include <QTimer>
#include <QWidget>

#include <memory>

#include "ui/pdf/pdf_report.h"
#include "ui/session.h"
#include "ui/theme.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QListWidget;
class QListWidgetItem;
class QProgressBar;
class QPushButton;
class QStackedWidget;

namespace receiptbench {

class ReportPreview;
class StatePane;

class ReportPage : public QWidget {
    Q_OBJECT

 public:
    ReportPage(Session& session, QWidget* parent);

    PdfOptions options() const;
    bool isReady() const;  // the pages are laid out
    int pageCount() const;
    QString exportPath() const;
    void setExportPath(const QString& path);

 public Q_SLOTS:
    void exportPdf();
    void exportText();
    void showInFolder();

 Q_SIGNALS:
    void ready();
    void exported(const QString& path);

 protected:
    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

 private:
    // report_layout.cpp
    void build();
    QWidget* makeSide();
    QWidget* makeParts();
    QWidget* makeExport();
    QWidget* makePreviewSide();
    QWidget* makeZoomRow();

    void projectChanged();
    void jobChanged();
    void refresh();
    QString stateKey() const;  // changes with what the report says
    void startReading();
    void startLayout();  // after a moment: several ticks in a row are one
    void addPart();
    void addPdfPage();
    void writePdf(const QByteArray& bytes);
    void tickAll(bool on);
    bool anyTicked() const;
    QString command() const;
    void say(Meaning meaning, const QString& text);
    void updateButtons();
    void resetThumbnails();

    Session& session_;
    QStackedWidget* stack_ = nullptr;
    StatePane* state_ = nullptr;
    QWidget* content_ = nullptr;
    QListWidget *parts_ = nullptr, *thumbnails_ = nullptr;
    QComboBox* format_ = nullptr;
    QLineEdit* path_ = nullptr;
    QPushButton *export_ = nullptr, *text_ = nullptr, *folder_ = nullptr;
    ReportPreview* preview_ = nullptr;
    QLabel *pageLabel_ = nullptr, *zoomLabel_ = nullptr, *messageIcon_ = nullptr,
           *message_ = nullptr;
    QProgressBar* progress_ = nullptr;

    std::shared_ptr<const nlohmann::json> report_;
    PhotoSource photos_;
    std::shared_ptr<ReportPages> pages_;  // being laid out, or complete
    bool complete_ = false;
    std::unique_ptr<PdfWriting> writing_;
    QTimer layoutTimer_, partTimer_, pdfTimer_;
    enum class Working { Nothing, Reading, Writing };
    Working working_ = Working::Nothing;
    QString readingKey_, readKey_, failedKey_, error_, remedy_;
    bool wasBusy_ = false;
};

}  // namespace receiptbench
