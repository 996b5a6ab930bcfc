#include "core/workbench/project.h"

#include <cerrno>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/clock.h"
#include "core/base/hash.h"
#include "core/base/text.h"

namespace receiptbench {
namespace {

std::string absolutePath(const std::string& folder) {
    auto path =
        std::filesystem::absolute(folder.empty() ? "." : folder).lexically_normal().string();
    while (path.size() > 1 && path.back() == '/') {
        path.pop_back();
    }
    return path;
}

Error holdsProject(const std::string& root) {
    return {ErrorCode::Failed, root + " already holds a project",
            "continue it with --project " + root + ", or choose a new folder"};
}

void refuseUsedFolder(FileSystem& files, const std::string& root) {
    if (!files.exists(root)) {
        return;
    }
    const auto entries = files.list(root);
    for (const auto& entry : entries) {
        if (entry.name == "project.json") {
            throw holdsProject(root);
        }
    }
    if (!entries.empty()) {
        throw Error(
            ErrorCode::Failed,
            fmt::format("{} is not empty: it holds {}", root, printable(entries.front().name)),
            "choose a new or an empty folder");
    }
}

}  // namespace

Project::Project(FileSystem& files, std::string root) : files_(&files) {
    paths_.root = std::move(root);
}

void Project::checkNew(FileSystem& files, const std::string& folder) {
    refuseUsedFolder(files, absolutePath(folder));
}

Project Project::create(FileSystem& files, const std::string& folder, const std::string& source) {
    Project project(files, absolutePath(folder));
    try {
        refuseUsedFolder(files, project.paths_.root);
        files.makeDirectories(project.paths_.root);
        const nlohmann::json content{
            {"format", 1}, {"created", Clock::system().utc()}, {"source", printable(source)}};
        writeAtomically(files, project.paths_.project(), content.dump(2) + "\n", false);
    } catch (const FileError& error) {
        if (error.errorNumber() == EEXIST) {
            throw holdsProject(project.paths_.root);  // made by another process meanwhile
        }
        throw Error(ErrorCode::Failed,
                    std::string("the project folder cannot be written: ") + error.what(),
                    "choose a folder in which you may write");
    }
    return project;
}

Project Project::open(FileSystem& files, const std::string& folder) {
    Project project(files, absolutePath(folder));
    const auto path = project.paths_.project();
    if (!files.exists(path)) {
        throw Error(
            ErrorCode::Data,
            project.paths_.root + " is no receiptbench project (it has no project.json)",
            "name one with --project, or make one with receiptbench import or receiptbench demo");
    }
    const auto content = nlohmann::json::parse(readText(files, path, 1 << 20), nullptr, false);
    const auto format =
        content.is_object() ? content.value("format", nlohmann::json()) : nlohmann::json();
    if (format != 1) {
        throw Error(ErrorCode::Data,
                    fmt::format("{} has format {}, known is 1", path, format.dump()),
                    "use the receiptbench that wrote it, or make a new project");
    }
    return project;
}

Project Project::openOrCreate(FileSystem& files, const std::string& folder,
                              const std::string& source) {
    return files.exists(joinPath(absolutePath(folder), "project.json"))
               ? open(files, folder)
               : create(files, folder, source);
}

bool Project::isFrozen() const {
    return files_->exists(paths_.contract());
}

LoadedContract Project::contract() const {
    if (!isFrozen()) {
        throw Error(ErrorCode::Data, paths_.root + " is not frozen yet",
                    "run receiptbench freeze first");
    }
    return loadContract(*files_, paths_.contract());
}

std::vector<HostTensor> Project::initialWeights() const {
    auto tensors = readSafetensors(*files_, paths_.weights()).tensors;
    const auto expected = contract().contract.model.revision, found = digestOfTensors(tensors);
    if (found != expected) {
        throw Error(ErrorCode::Data,
                    fmt::format("{} has digest {}, the contract's model revision is {}",
                                paths_.weights(), found.substr(0, 16), expected.substr(0, 16)),
                    "restore the file, or freeze a new project");
    }
    return tensors;
}

FrozenSet Project::frozen(bool full) const {
    const auto expected = contract().contract;
    auto set = openFrozen(*files_, paths_.frozen(), full);
    const auto demand = [&](const char* field, const std::string& found,
                            const std::string& wanted) {
        if (found != wanted) {
            throw Error(ErrorCode::Data,
                        fmt::format("{}: {} is {}, the contract's is {}", paths_.frozen(), field,
                                    found.substr(0, 16), wanted.substr(0, 16)),
                        "the frozen files were changed: restore them, or freeze a new project");
        }
    };
    demand("splitDigest", set.splitDigest, expected.splitDigest);
    demand("datasetDigest", set.datasetDigest, expected.datasetDigest);
    set.labels = expected.labels;  // the contract's map decides the indices
    return set;
}

std::unique_ptr<BatchSource> Project::source(bool training) const {
    const auto set = frozen();
    const auto spec = contract().contract;
    std::vector<std::int64_t> labels;
    for (const auto& example : training ? set.train : set.validation) {
        const auto index = set.labels.index(example.label);
        if (!index) {
            throw Error(ErrorCode::Data,
                        fmt::format("label \"{}\" of {} is not in the contract's label map",
                                    printable(example.label), printable(example.source)));
        }
        labels.push_back(*index);
    }
    const auto path = joinPath(paths_.frozen(), training ? "train.pixels" : "val.pixels");
    const auto augmentation = training ? spec.augmentation : AugmentationSpec{false, false};
    return makeCacheSource(openVerified(path), std::move(labels), augmentation, spec.seed);
}

std::unique_ptr<BatchSource> Project::trainSource() const {
    return source(true);
}
std::unique_ptr<BatchSource> Project::validationSource() const {
    return source(false);
}

std::string Project::validationDigest() const {
    const PixelCache cache(joinPath(paths_.frozen(), "val.pixels"));
    return sha256Hex(contract().contract.splitDigest + "\n" + cache.digest());
}

}  // namespace receiptbench
