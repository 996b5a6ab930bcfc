// A run's logits on the frozen validation set.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "core/base/host_tensor.h"
#include "core/base/text.h"
#include "core/runs/run_directory.h"
#include "core/runs/run_json.h"

namespace receiptbench {
namespace {

static_assert(std::endian::native == std::endian::little, "safetensors is little-endian");

template <typename Value>
HostTensor toTensor(const char* name, const char* dtype, std::vector<std::int64_t> shape,
                    const std::vector<Value>& values) {
    const auto bytes = std::as_bytes(std::span(values));
    return {name, dtype, std::move(shape), {bytes.begin(), bytes.end()}};
}

template <typename Value>
std::vector<Value> toVector(const HostTensor& tensor) {
    std::vector<Value> values(tensor.bytes.size() / sizeof(Value));
    if (!values.empty()) {
        std::memcpy(values.data(), tensor.bytes.data(), tensor.bytes.size());
    }
    return values;
}

const HostTensor& tensorOf(const SafetensorsFile& content, const std::string& name,
                           const char* dtype, std::size_t rank) {
    for (const HostTensor& tensor : content.tensors) {
        if (tensor.name == name && tensor.dtype == dtype && tensor.shape.size() == rank) {
            return tensor;
        }
    }
    throw Error(ErrorCode::Data,
                fmt::format("it has no {} of type {} and rank {}", name, dtype, rank));
}

std::string metadataOf(const SafetensorsFile& content, const std::string& key) {
    const auto found = content.metadata.find(key);
    if (found == content.metadata.end()) {
        throw Error(ErrorCode::Data, fmt::format("its header has no \"{}\"", key));
    }
    return found->second;
}

void check(const StoredPredictions& predictions) {
    const auto classes = static_cast<std::size_t>(std::max<std::int64_t>(predictions.classes, 0));
    if (classes == 0 || predictions.logits.size() % classes != 0 ||
        predictions.logits.size() / classes != predictions.labels.size()) {
        throw Error(
            ErrorCode::Data,
            fmt::format("{} logits for {} labels and {} classes do not fit",
                        predictions.logits.size(), predictions.labels.size(), predictions.classes));
    }
    for (const std::int64_t label : predictions.labels) {
        if (label < 0 || label >= predictions.classes) {
            throw Error(ErrorCode::Data,
                        fmt::format("label {} of {} classes", label, predictions.classes));
        }
    }
}

StoredPredictions fromFile(const SafetensorsFile& content) {
    StoredPredictions predictions;
    const HostTensor& logits = tensorOf(content, "logits", "F32", 2);
    predictions.logits = toVector<float>(logits);
    predictions.classes = logits.shape[1];
    predictions.labels = toVector<std::int64_t>(tensorOf(content, "labels", "I64", 1));
    predictions.validationDigest = metadataOf(content, "validationDigest");
    predictions.precision = metadataOf(content, "precision");
    predictions.weightsDigest = metadataOf(content, "weightsDigest");
    check(predictions);
    return predictions;
}

}  // namespace

void savePredictions(FileSystem& files, const std::string& runFolder,
                     const StoredPredictions& predictions) {
    check(predictions);
    const auto examples = static_cast<std::int64_t>(predictions.labels.size());
    SafetensorsFile content;
    // Labels first: their 8-byte elements stay aligned whatever the number of logits.
    content.tensors = {
        toTensor("labels", "I64", {examples}, predictions.labels),
        toTensor("logits", "F32", {examples, predictions.classes}, predictions.logits)};
    content.metadata = {{"validationDigest", predictions.validationDigest},
                        {"precision", predictions.precision},
                        {"weightsDigest", predictions.weightsDigest}};
    writeSafetensors(files, joinPath(runFolder, kPredictionsFile), content);
}

std::optional<StoredPredictions> loadPredictions(FileSystem& files, const std::string& runFolder) {
    const std::string path = joinPath(runFolder, kPredictionsFile);
    if (!files.exists(path)) {
        return std::nullopt;
    }
    const SafetensorsFile content = readSafetensors(files, path);
    try {
        return fromFile(content);
    } catch (const Error& error) {
        throw Error(ErrorCode::Data, fmt::format("{}: {}", printable(path), error.what()),
                    "evaluate the run again: receiptbench evaluate");
    }
}

}  // namespace receiptbench
