// Case D23: Torch's headers after Qt's. Torch has members called "slots", which Qt's keyword would
// replace.
#include <QObject>

#include <torch/torch.h>

class QtThenTorch : public QObject {
#ifdef WITH_AUTOMOC
    Q_OBJECT
#endif
 public Q_SLOTS:
    double sum() {
        return torch::ones({2, 3}).sum().item<double>();
    }
};

double qtThenTorch() {
    return QtThenTorch().sum();
}

#ifdef WITH_AUTOMOC
#include "qt_then_torch.moc"
#endif
