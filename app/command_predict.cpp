// export and predict: the frozen pictures for other programs, and other pictures for a trained run.
#include <memory>

#include <fmt/format.h>

#include "app/context.h"
#include "app/options.h"
#include "app/output.h"
#include "app/signals.h"
#include "core/base/text.h"
#include "core/workbench/exporting.h"
#include "core/workbench/predicting.h"

namespace receiptbench {
namespace {

struct PredictArguments {
    PredictRequest request;
    std::string format = "csv";
    bool strict = false;
};

std::string decisionOf(const PhotoScore& photo) {
    return !photo.problem.empty() ? "rejected" : photo.accepted ? "accept" : "reject";
}

std::string predictedLabel(const PredictResult& result, const PhotoScore& photo) {
    return photo.predicted < 0 ? std::string() : result.labels.name(photo.predicted);
}

nlohmann::json photoJson(const PredictResult& result, const PhotoScore& photo) {
    nlohmann::json probabilities = nlohmann::json::object();
    for (std::size_t c = 0; c < photo.probabilities.size(); ++c) {
        probabilities[result.labels.names()[c]] = photo.probabilities[c];
    }
    return {{"file", printable(photo.path)}, {"predicted", predictedLabel(result, photo)},
            {"decision", decisionOf(photo)}, {"probabilities", probabilities},
            {"problem", photo.problem},      {"message", printable(photo.message)}};
}

void printCsv(const PredictResult& result) {
    std::string head = "file,predicted,decision";
    for (const auto& label : result.labels.names()) {
        head += "," + csvCell("p(" + label + ")");
    }
    printLine(head + ",problem,message");
    for (const auto& photo : result.photos) {
        auto line = fmt::format("{},{},{}", csvCell(photo.path),
                                csvCell(predictedLabel(result, photo)), decisionOf(photo));
        for (std::size_t c = 0; c < result.labels.names().size(); ++c) {
            line += "," + (photo.probabilities.empty() ? "" : formatDouble(photo.probabilities[c]));
        }
        printLine(line + "," + photo.problem + "," + csvCell(photo.message));
    }
}

void showPredictions(const Context& context, const PredictArguments& arguments,
                     const PredictResult& result) {
    if (context.json) {
        nlohmann::json photos = nlohmann::json::array();
        for (const auto& photo : result.photos) {
            photos.push_back(photoJson(result, photo));
        }
        printJson("predict", {{"run", result.run},
                              {"checkpoint", result.checkpoint},
                              {"acceptLabel", printable(result.acceptLabel)},
                              {"threshold", result.threshold},
                              {"photos", photos}});
    } else if (arguments.format == "jsonl") {
        for (const auto& photo : result.photos) {
            printLine(photoJson(result, photo)
                          .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
        }
    } else {
        printCsv(result);
    }
}

void runPredict(Context& context, const PredictArguments& arguments) {
    const auto project = Project::open(context.files(), context.project);
    TerminalProgress progress(context);
    const auto result = predictPhotos(project, arguments.request, progress, &cancelOnSignals());
    progress.end();
    showPredictions(context, arguments, result);
    const auto rejected = result.rejected();
    if (rejected == 0) {
        return;
    }
    const bool none = rejected == static_cast<std::int64_t>(result.photos.size());
    complain(fmt::format("{} of {} files were rejected", rejected, result.photos.size()),
             "the last columns say why");
    if (arguments.strict || none) {
        context.exitCode = static_cast<int>(ErrorCode::Data);
    }
}

}  // namespace

void addPredictCommands(CLI::App& app, Context& context) {
    auto* predict = app.add_subcommand("predict", "What a trained run says of other photos");
    auto arguments = std::make_shared<PredictArguments>();
    predict->add_option("images", arguments->request.sources, "Pictures, folders or manifests")
        ->required();
    predict->add_option("--run", arguments->request.run, "Its name (default: the fp32 baseline)");
    predict->add_option("--format", arguments->format, "csv or jsonl")
        ->check(CLI::IsMember({"csv", "jsonl"}))
        ->capture_default_str();
    predict->add_flag("--strict", arguments->strict, "Any rejected file is an error");
    predict->callback([&context, arguments] { runPredict(context, *arguments); });

    auto* exporting =
        app.add_subcommand("export", "Write the frozen pictures as lossless files with a manifest");
    auto folder = std::make_shared<std::string>();
    exporting->add_option("--dataset", *folder, "Folder, new or empty")->required();
    exporting->callback([&context, folder] {
        const auto project = Project::open(context.files(), context.project);
        TerminalProgress progress(context);
        const auto written = exportDataset(project, *folder, progress, &cancelOnSignals());
        progress.end();
        if (context.json) {
            printJson("export", {{"manifest", written.manifest},
                                 {"train", written.train},
                                 {"validation", written.validation}});
            return;
        }
        printLine(
            fmt::format("{} training and {} validation images", written.train, written.validation));
        printLine(written.manifest);
    });
}

}  // namespace receiptbench
