// Reads something off the UI thread and hands it over on it; nothing happens when the asker is gone
// by then.
#pragma once

#include <QFutureWatcher>
#include <QPromise>
#include <QThreadPool>
#include <functional>
#include <memory>
#include <utility>

namespace receiptbench {

// work must not throw: what went wrong belongs into its value. context: a living object of the UI
// thread.
template <typename Value>
void readInBackground(QObject* context, std::function<Value()> work,
                      std::function<void(const Value&)> done) {
    auto* watcher = new QFutureWatcher<Value>(context);
    QObject::connect(watcher, &QFutureWatcherBase::finished, context,
                     [watcher, done = std::move(done)] {
                         watcher->deleteLater();
                         done(watcher->result());
                     });
    auto promise = std::make_shared<QPromise<Value>>();
    watcher->setFuture(promise->future());
    QThreadPool::globalInstance()->start([promise, work = std::move(work)] {
        promise->start();
        promise->addResult(work());
        promise->finish();
    });
}

}  // namespace receiptbench
