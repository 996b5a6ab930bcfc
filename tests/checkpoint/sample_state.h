// A small training state that differs from update to update, and a scratch folder to save it in.
#pragma once

#include <QTemporaryDir>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "core/base/file_system.h"
#include "core/checkpoint/store.h"
#include "core/contract/training_state.h"

namespace receiptbench::sample {

inline const std::string kContract(64, 'c');

inline HostTensor tensor(const std::string& name, const std::string& dtype,
                         std::vector<std::int64_t> shape, int salt) {
    HostTensor made{name, dtype, std::move(shape), {}};
    made.bytes.resize(static_cast<std::size_t>(elementCount(made.shape)) * dtypeSize(dtype));
    for (std::size_t i = 0; i < made.bytes.size(); ++i) {
        made.bytes[i] = static_cast<std::byte>(
            (i * 37 + static_cast<std::size_t>(salt) * 101 + name.size()) & 0xff);
    }
    return made;
}

inline TrainingState state(std::int64_t update) {
    const int salt = static_cast<int>(update);
    TrainingState made;
    made.values.attempted = update;
    made.values.applied = made.values.scheduleSteps = update > 0 ? update - 1 : 0;
    made.values.skipped = update - made.values.applied;
    made.values.learningRate = 0.1 / 3;
    made.values.acceptedExamples = made.values.position = 47 * update;
    made.values.scaler = {256.5, 1, 2.0, 0.5, 2};
    made.values.plan = {Precision::Bf16, 8, MemoryFormat::ChannelsLast, 2};
    made.values.receipt = "receipt-" + std::to_string(update);
    made.values.environment = {"2.13.0", "AVX2", "cpu", 2, true, true};
    // Not in the order of the file: 8-byte elements between 4-byte and 1-byte ones, one tensor
    // empty.
    made.tensors = {tensor("model/a.weight", "F32", {3, 5}, salt),
                    tensor("model/a.bias", "F32", {3}, salt),
                    tensor("buffer/n", "F32", {0, 4}, salt),
                    tensor("optimizer/m/a.weight", "F32", {3, 5}, salt),
                    tensor("optimizer/step/a.weight", "I64", {}, salt),
                    tensor("optimizer/m/a.bias", "F32", {3}, salt),
                    tensor("optimizer/step/a.bias", "I64", {}, salt),
                    tensor("rng/cpu", "U8", {17}, salt)};
    return made;
}

inline bool equal(const std::vector<HostTensor>& left, const std::vector<HostTensor>& right) {
    return left.size() == right.size() &&
           std::equal(left.begin(), left.end(), right.begin(),
                      [](const HostTensor& a, const HostTensor& b) {
                          return a.name == b.name && a.dtype == b.dtype && a.shape == b.shape &&
                                 a.bytes == b.bytes;
                      });
}

inline SaveOptions options(std::int64_t generation = 1) {
    return {kContract, generation, "", 3};
}

// A folder on disk, removed at the end.
class Folder {
 public:
    std::string path() const { return folder_.path().toStdString(); }
    std::string file(const std::string& name) const { return joinPath(path(), name); }
    std::string file(const CheckpointName& name) const { return file(fileName(name)); }
    std::vector<std::string> names() const {
        std::vector<std::string> result;
        for (const DirectoryEntry& entry : posixFileSystem().list(path())) {
            result.push_back(entry.name);
        }
        return result;
    }
    CheckpointInfo save(std::int64_t update, std::int64_t generation = 1) const {
        return saveCheckpoint(posixFileSystem(), path(), state(update), options(generation));
    }
    Recovery recover(const std::string& contract = kContract) const {
        return recoverCheckpoint(posixFileSystem(), path(), contract);
    }

 private:
    QTemporaryDir folder_;
};

inline std::vector<char> readFile(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

inline void writeFile(const std::string& path, const std::vector<char>& bytes) {
    std::ofstream out(path, std::ios::binary | std::ios::trunc);
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

}  // namespace receiptbench::sample
