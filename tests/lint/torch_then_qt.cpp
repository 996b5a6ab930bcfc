// Case D23: Qt's headers after Torch's.
#include <torch/torch.h>

#include <QObject>

class TorchThenQt : public QObject {
#ifdef WITH_AUTOMOC
    Q_OBJECT
#endif
 public Q_SLOTS:
    double sum() {
        return torch::ones({2, 3}).sum().item<double>();
    }
};

double torchThenQt() {
    return TorchThenQt().sum();
}

#ifdef WITH_AUTOMOC
#include "torch_then_qt.moc"
#endif
