#include <ATen/Parallel.h>
#include <ATen/autocast_mode.h>

#include "core/model/group_norm_torch.h"

namespace receiptbench {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// The work of all images, each wholly on one thread. Worker threads have an autograd state of their
// own.
template <typename Work>
void forEachImage(std::int64_t count, Work work) {
    at::parallel_for(0, count, 1, [&](std::int64_t begin, std::int64_t end) {
        const at::AutoDispatchBelowADInplaceOrView belowAutograd;
        for (std::int64_t i = begin; i < end; ++i) {
            work(i);
        }
    });
}

class NormPerImage : public torch::autograd::Function<NormPerImage> {
 public:
    static torch::Tensor forward(AutogradContext* context, const torch::Tensor& images,
                                 const torch::Tensor& weight, const torch::Tensor& bias,
                                 std::int64_t groups, double epsilon) {
        const std::int64_t channels = images.size(1), positions = images.size(2) * images.size(3);
        torch::Tensor result =
            torch::empty_like(images, images.options(), torch::MemoryFormat::ChannelsLast);
        torch::Tensor mean = torch::empty({images.size(0), groups}, images.options());
        torch::Tensor scale = torch::empty_like(mean);
        forEachImage(images.size(0), [&](std::int64_t i) {
            const auto one = at::native_group_norm(images.narrow(0, i, 1), weight, bias, 1,
                                                   channels, positions, groups, epsilon);
            result.narrow(0, i, 1).copy_(std::get<0>(one));
            mean.narrow(0, i, 1).copy_(std::get<1>(one));
            scale.narrow(0, i, 1).copy_(std::get<2>(one));
        });
        context->save_for_backward({images, weight, mean, scale});
        context->saved_data["groups"] = groups;
        return result;
    }

    static variable_list backward(AutogradContext* context, const variable_list& gradients) {
        const auto saved = context->get_saved_variables();
        const torch::Tensor &images = saved[0], &weight = saved[1], &mean = saved[2],
                            &scale = saved[3];
        const std::int64_t channels = images.size(1), positions = images.size(2) * images.size(3);
        const std::int64_t groups = context->saved_data["groups"].toInt();
        const torch::Tensor gradient = gradients[0].contiguous(torch::MemoryFormat::ChannelsLast);
        torch::Tensor ofImages =
            torch::empty_like(images, images.options(), torch::MemoryFormat::ChannelsLast);
        torch::Tensor ofWeight = torch::empty({images.size(0), channels}, images.options());
        torch::Tensor ofBias = torch::empty_like(ofWeight);
        forEachImage(images.size(0), [&](std::int64_t i) {
            const auto one = at::native_group_norm_backward(
                gradient.narrow(0, i, 1), images.narrow(0, i, 1), mean.narrow(0, i, 1),
                scale.narrow(0, i, 1), weight, 1, channels, positions, groups, {true, true, true});
            ofImages.narrow(0, i, 1).copy_(std::get<0>(one));
            ofWeight.narrow(0, i, 1).copy_(std::get<1>(one).unsqueeze(0));
            ofBias.narrow(0, i, 1).copy_(std::get<2>(one).unsqueeze(0));
        });
        return {ofImages, ofWeight.sum(0), ofBias.sum(0), torch::Tensor(), torch::Tensor()};
    }
};

}  // namespace

torch::Tensor normalise(const torch::Tensor& images, torch::nn::GroupNorm& norm) {
    const bool perImage = images.is_cpu() && images.size(0) > 1 &&
                          !at::autocast::is_autocast_enabled(at::kCPU) &&
                          images.suggest_memory_format() == torch::MemoryFormat::ChannelsLast;
    if (!perImage) {
        return norm->forward(images);
    }
    return NormPerImage::apply(images, norm->weight, norm->bias, norm->options.num_groups(),
                               norm->options.eps());
}

}  // namespace receiptbench
