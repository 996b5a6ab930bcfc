// The budget as Torch meets it.
#include <torch/torch.h>

#include <QtTest>
#include <numeric>
#include <optional>
#include <thread>

#include "core/memory/budget.h"

using namespace receiptbench;

namespace {

constexpr std::int64_t kMiB = 1 << 20;

torch::Tensor mebibytes(std::int64_t count) {
    return torch::ones({count * kMiB / 4});
}

std::int64_t bytesOf(const MemoryState& state, MemoryCategory category) {
    return state.byCategory[static_cast<std::size_t>(category)];
}

// A node that takes 8 MiB in its backward and keeps an input of 4 MiB for it.
class Greedy : public torch::autograd::Function<Greedy> {
 public:
    static torch::Tensor forward(torch::autograd::AutogradContext* context,
                                 const torch::Tensor& x) {
        context->save_for_backward({x});
        return x * 2;
    }
    static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                   torch::autograd::variable_list gradients) {
        const torch::Tensor large = mebibytes(8);
        return {gradients[0] * context->get_saved_variables()[0] * large[0]};
    }
};

}  // namespace

class BudgetTest : public QObject {
    Q_OBJECT

 private Q_SLOTS:
    void countsByCategoryAndRemembersThePeak();
    void refusesWithTheReasons();
    void refusalPassesThroughBackwardAndIsCleanedUp();
    void tensorsMayOutliveTheBudgetAndPrecedeIt();
    void oneBudgetAtATime();
    void zeroMeansPhysicalMemory();
    void impossibleSizesAreRefused();
    void emptyTensorsAndRawPathWork();
    void threadsShareTheBudget();
};

void BudgetTest::countsByCategoryAndRemembersThePeak() {
    BudgetScope budget(16 * kMiB);
    QCOMPARE(memoryState().budget, 16 * kMiB);
    torch::Tensor parameters, gradient;
    {
        CategoryScope outer(MemoryCategory::Parameters);
        parameters = mebibytes(2);
        CategoryScope inner(MemoryCategory::Activations);
        gradient = mebibytes(1);
    }
    const torch::Tensor other = mebibytes(1);
    QCOMPARE(bytesOf(memoryState(), MemoryCategory::Parameters), 2 * kMiB);
    QCOMPARE(bytesOf(memoryState(), MemoryCategory::Activations), kMiB);
    QCOMPARE(bytesOf(memoryState(), MemoryCategory::Other), kMiB);
    recategorise(gradient.storage().data(), MemoryCategory::Gradients);
    QCOMPARE(bytesOf(memoryState(), MemoryCategory::Gradients), kMiB);
    QCOMPARE(bytesOf(memoryState(), MemoryCategory::Activations), std::int64_t(0));
    {
        CategoryScope scope(MemoryCategory::Activations);
        mebibytes(4);
    }
    const MemoryPeaks peaks = memoryPeaks();
    QCOMPARE(peaks.total, 8 * kMiB);
    QCOMPARE(std::accumulate(peaks.atPeak.begin(), peaks.atPeak.end(), std::int64_t(0)),
             peaks.total);
    QCOMPARE(peaks.atPeak[static_cast<std::size_t>(MemoryCategory::Activations)], 4 * kMiB);
    QVERIFY(peaks.reserved >= 8 * kMiB && peaks.reserved <= 16 * kMiB);
    resetMemoryPeaks();
    QCOMPARE(memoryPeaks().total, 4 * kMiB);
}

void BudgetTest::refusesWithTheReasons() {
    BudgetScope budget(8 * kMiB);
    CategoryScope scope(MemoryCategory::Activations);
    const torch::Tensor kept = mebibytes(5);
    OverBudget taken(0, {});
    QVERIFY(!takeRefusal(taken));
    try {
        mebibytes(4);
        QFAIL("4 MiB more than 8 MiB were given");
    } catch (const OverBudget& error) {
        QVERIFY(error.code() == ErrorCode::OverBudget);
        QCOMPARE(error.requested(), 4 * kMiB);
        QCOMPARE(error.state().allocated, 5 * kMiB);
        const std::string text = error.what();
        for (const char* part :
             {"8.0 MiB", "4.0 MiB", "activations 5.0 MiB", "largest free block"}) {
            QVERIFY2(text.find(part) != std::string::npos, text.c_str());
        }
        QVERIFY(!error.hint().empty());
    }
    QVERIFY(takeRefusal(taken));
    QCOMPARE(taken.requested(), 4 * kMiB);
    QVERIFY(!takeRefusal(taken));
    QCOMPARE(memoryState().allocated, 5 * kMiB);
    QVERIFY(mebibytes(2).defined());  // still usable
}

void BudgetTest::refusalPassesThroughBackwardAndIsCleanedUp() {
    BudgetScope budget(20 * kMiB);
    const torch::Tensor leaf = mebibytes(4).requires_grad_();
    const std::int64_t before = memoryState().allocated;
    {
        torch::Tensor loss = Greedy::apply(leaf * 1.5).sum();
        const torch::Tensor filler = mebibytes(3);
        QVERIFY_THROWS_EXCEPTION(OverBudget, loss.backward());
    }
    releaseFailedBackward();
    QCOMPARE(memoryState().allocated, before);
    QVERIFY(!leaf.grad().defined());
    torch::Tensor loss = (leaf * 1.5).sum();
    loss.backward();  // the engine works again
    QCOMPARE(leaf.grad()[0].item<float>(), 1.5f);
}

void BudgetTest::tensorsMayOutliveTheBudgetAndPrecedeIt() {
    torch::Tensor older = torch::arange(1000);
    torch::Tensor survivor;
    {
        BudgetScope budget(8 * kMiB);
        survivor = torch::arange(1000, 2000);
        older = torch::Tensor();  // freed where it came from
        older = torch::zeros({1000});
        older = torch::Tensor();
    }
    QCOMPARE(memoryState().budget, std::int64_t(0));
    {
        BudgetScope budget(4 * kMiB);
        QCOMPARE(memoryState().allocated, std::int64_t(0));  // the survivor is not in this one
        QVERIFY(mebibytes(3).defined());
        QCOMPARE(survivor.sum().item<std::int64_t>(), std::int64_t(1499500));
        survivor = torch::Tensor();
        QCOMPARE(memoryState().allocated, std::int64_t(0));
    }
    QVERIFY(mebibytes(16).defined());  // no budget in force
}

void BudgetTest::oneBudgetAtATime() {
    {
        BudgetScope budget(8 * kMiB);
        QVERIFY_THROWS_EXCEPTION(Error, BudgetScope(4 * kMiB));
        QCOMPARE(memoryState().budget, 8 * kMiB);
    }
    BudgetScope again(4 * kMiB);
    QCOMPARE(memoryState().budget, 4 * kMiB);
}

void BudgetTest::zeroMeansPhysicalMemory() {
    BudgetScope budget(0);
    QVERIFY(memoryState().budget > 64 * kMiB);
    const torch::Tensor kept = mebibytes(32);
    QCOMPARE(memoryPeaks().total, 32 * kMiB);
}

void BudgetTest::impossibleSizesAreRefused() {
    QVERIFY_THROWS_EXCEPTION(Error, BudgetScope(-1));
    QVERIFY_THROWS_EXCEPTION(Error, BudgetScope(INT64_MAX));
    BudgetScope tiny(1);
    QVERIFY_THROWS_EXCEPTION(OverBudget, torch::ones({1}));
}

void BudgetTest::emptyTensorsAndRawPathWork() {
    c10::Allocator* allocator = c10::GetAllocator(c10::DeviceType::CPU);
    {
        BudgetScope budget(kMiB);
        QCOMPARE(torch::empty({0}).numel(), std::int64_t(0));
        QCOMPARE(memoryState().allocated, std::int64_t(0));
        allocator = c10::GetAllocator(c10::DeviceType::CPU);
        void* raw = allocator->raw_allocate(1000);
        QCOMPARE(memoryState().allocated, std::int64_t(1024));
        allocator->raw_deallocate(raw);
        QCOMPARE(memoryState().allocated, std::int64_t(0));
        allocator->raw_deallocate(allocator->raw_allocate(0));
    }
    allocator->raw_deallocate(allocator->raw_allocate(1000));
}

void BudgetTest::threadsShareTheBudget() {
    BudgetScope budget(16 * kMiB);
    std::atomic<int> wrong = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&wrong, t] {
            CategoryScope scope(static_cast<MemoryCategory>(t));
            for (int i = 0; i < 300; ++i) {
                try {
                    const torch::Tensor block = torch::full({1 + i * 3000}, t, torch::kInt);
                    wrong += (block == t).all().item<bool>() ? 0 : 1;
                } catch (const OverBudget&) {  // allowed: four at once may not fit
                }
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    QCOMPARE(wrong.load(), 0);
    QCOMPARE(memoryState().allocated, std::int64_t(0));
}

QTEST_APPLESS_MAIN(BudgetTest)
#include "budget_test.moc"
