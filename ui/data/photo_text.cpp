#include "ui/data/photo_text.h"

#include <QCoreApplication>
#include <QStringList>

#include "core/base/text.h"

namespace receiptbench {
namespace {

constexpr int kScoreDigits = 3;

QString tr(const char* text) {
    return QCoreApplication::translate("receiptbench::PhotoText", text);
}

}  // namespace

QString labelText(const Gallery& gallery, std::int64_t label) {
    return label < 0 || label >= gallery.labels.size()
               ? tr("no valid prediction")
               : QString::fromStdString(printable(gallery.labels.name(label)));
}

QString scoreText(const PhotoPrediction& prediction) {
    return numberText(prediction.acceptScore, kScoreDigits);
}

QString decisionText(const PhotoPrediction& prediction) {
    return prediction.predicted < 0 ? tr("none")
           : prediction.accepted    ? tr("accept")
                                    : tr("reject");
}

QString changeText(DecisionChange change) {
    return change == DecisionChange::AcceptToReject   ? tr("accept → reject")
           : change == DecisionChange::RejectToAccept ? tr("reject → accept")
                                                      : QString();
}

QString fileText(const Photo& photo) {
    return QString::fromStdString(printable(photo.source));
}

QString captionText(const Gallery& gallery, int run, std::size_t photo) {
    const auto label = labelText(gallery, gallery.photos[photo].label);
    const auto* prediction =
        run < 0 ? nullptr : gallery.prediction(static_cast<std::size_t>(run), photo);
    if (prediction == nullptr) {
        return label;
    }
    return tr("%1 → %2, accept score %3")
        .arg(label, labelText(gallery, prediction->predicted), scoreText(*prediction));
}

QString fullText(const Gallery& gallery, int run, std::size_t photo) {
    const auto& one = gallery.photos[photo];
    QStringList parts{captionText(gallery, run, photo)};
    const auto* prediction =
        run < 0 ? nullptr : gallery.prediction(static_cast<std::size_t>(run), photo);
    if (prediction != nullptr && !changeText(prediction->change).isEmpty()) {
        parts << changeText(prediction->change);
    }
    parts << tr("%1 photo %2").arg(one.validation ? tr("validation") : tr("training")).arg(one.id);
    parts << tr("identity %1").arg(QString::fromStdString(printable(one.identity)));
    parts << fileText(one);
    if (!one.derivation.empty()) {
        parts << QString::fromStdString(describeDerivation(one.derivation));
    }
    return parts.join(QStringLiteral(" · "));
}

Meaning outcomeOf(const Photo& photo, const PhotoPrediction* prediction) {
    if (prediction == nullptr || prediction->predicted < 0) {
        return Meaning::Neutral;
    }
    return prediction->predicted == photo.label ? Meaning::Good : Meaning::Bad;
}

}  // namespace receiptbench
