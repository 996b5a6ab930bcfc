#include "core/train/ledger.h"

#include <QtTest>

#include <functional>

#include "core/base/error.h"

using namespace receiptbench;

namespace {

ExperimentContract contractOf100() {
    ExperimentContract contract;
    contract.trainExamples = 100;
    return contract;
}

UpdateRecord good() {
    UpdateRecord record;
    record.update = 5;
    record.applied = record.scheduleSteps = 4;
    record.skipped = 1;
    record.accepted = 47;
    record.microbatches = {32, 15};
    record.classMix = {20, 20, 7};
    record.position = 235;
    return record;
}

bool holds(const UpdateRecord& record, const ExperimentContract& contract, std::int64_t before) {
    try {
        checkLedger(record, contract, before);
        return true;
    } catch (const Error&) {
        return false;
    }
}

}  // namespace

class LedgerTest : public QObject {
    Q_OBJECT

 private Q_SLOTS:
    void acceptsAGoodRow();
    void refusesEveryBreach();
    void allowsAShortUpdateAtAnEpochsEnd();
};

void LedgerTest::acceptsAGoodRow() {
    QVERIFY(holds(good(), contractOf100(), 188));
}

void LedgerTest::refusesEveryBreach() {
    const std::vector<std::function<void(UpdateRecord&)>> breaches = {
        [](UpdateRecord& record) { record.skipped = 0; },
        [](UpdateRecord& record) { record.scheduleSteps = 5; },
        [](UpdateRecord& record) { record.accepted = 46; },
        [](UpdateRecord& record) {
            record.microbatches = {32, 16};
        },
        [](UpdateRecord& record) {
            record.classMix = {20, 20, 6};
        },
        [](UpdateRecord& record) { record.position = 234; },
    };
    for (std::size_t i = 0; i < breaches.size(); ++i) {
        UpdateRecord record = good();
        breaches[i](record);
        QVERIFY2(!holds(record, contractOf100(), 188), std::to_string(i).c_str());
    }
}

void LedgerTest::allowsAShortUpdateAtAnEpochsEnd() {
    UpdateRecord record = good();
    record.accepted = 6;
    record.microbatches = {6};
    record.classMix = {6, 0, 0};
    record.position = 300;
    ExperimentContract contract = contractOf100();
    QVERIFY(!holds(record, contract, 294));  // carry
    contract.lastUpdate = LastUpdateRule::Apply;
    QVERIFY(holds(record, contract, 294));
    record.position = 299;  // not an epoch's end
    QVERIFY(!holds(record, contract, 293));
}

QTEST_APPLESS_MAIN(LedgerTest)
#include "ledger_test.moc"
