#include "core/workbench/exporting.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "core/data/decode.h"

namespace receiptbench {
namespace {

std::string nameOf(const FrozenExample& example) {
    return fmt::format("{}/{:06}.png", example.split, example.id);
}

Image imageAt(const PixelCache& cache, std::int64_t id) {
    const auto pixels = cache.pixels(id);
    Image image{cache.width(), cache.height(), {pixels.begin(), pixels.end()}};
    cache.release(id);
    return image;
}

}  // namespace

DatasetExport exportDataset(const Project& project, const std::string& folder, Progress& progress,
                            const CancelToken* cancel) {
    auto& files = project.files();
    Project::checkNew(files, folder);
    const auto set = project.frozen();
    DatasetExport result{folder, joinPath(folder, "manifest.csv"),
                         static_cast<std::int64_t>(set.train.size()),
                         static_cast<std::int64_t>(set.validation.size())};
    progress.stage("exporting", result.train + result.validation);
    std::string manifest = "file,label,identity,split\n";
    std::int64_t done = 0;
    for (const auto* examples : {&set.train, &set.validation}) {
        const bool training = examples == &set.train;
        files.makeDirectories(joinPath(folder, training ? "train" : "val"));
        const auto cache = openVerified(
            joinPath(project.paths().frozen(), training ? "train.pixels" : "val.pixels"));
        for (const auto& example : *examples) {
            if (cancel != nullptr && cancel->finishRequested()) {
                throw Error(ErrorCode::Interrupted,
                            "exporting was stopped; " + folder + " is not complete",
                            "remove the folder and export again");
            }
            const auto name = nameOf(example);
            writePng(joinPath(folder, name), imageAt(*cache, example.id));
            manifest += fmt::format("{},{},{},{}\n", name, csvCell(example.label),
                                    csvCell(example.identity), example.split);
            progress.step(++done);
        }
    }
    writeAtomically(files, result.manifest, manifest);
    return result;
}

}  // namespace receiptbench
