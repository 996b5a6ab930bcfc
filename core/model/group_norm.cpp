#include <ATen/Parallel.h>
#include <ATen/autocast_mode.h>

#include "core/model/group_norm_kernel.h"
#include "core/model/group_norm_torch.h"

namespace receiptbench {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// One image after another, each wholly on one thread: its rounding does not depend on the others.
template <typename Work>
void forEachImage(std::int64_t count, Work work) {
    at::parallel_for(0, count, 1, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
            work(i);
        }
    });
}

NormShape shapeOf(const torch::Tensor& images, std::int64_t groups) {
    return {images.size(2) * images.size(3), images.size(1), groups};
}

class NormPerImage : public torch::autograd::Function<NormPerImage> {
 public:
    static torch::Tensor forward(AutogradContext* context, const torch::Tensor& given,
                                 const torch::Tensor& weight, const torch::Tensor& bias,
                                 std::int64_t groups, double epsilon) {
        const torch::Tensor images = given.contiguous(torch::MemoryFormat::ChannelsLast);
        const NormShape shape = shapeOf(images, groups);
        torch::Tensor result = torch::empty_like(images);
        torch::Tensor mean = torch::empty({images.size(0), groups}, images.options());
        torch::Tensor inverse = torch::empty_like(mean);
        const std::int64_t size = shape.positions * shape.channels;
        const auto *from = images.const_data_ptr<float>(), *scale = weight.const_data_ptr<float>(),
                   *shift = bias.const_data_ptr<float>();
        auto *to = result.mutable_data_ptr<float>(), *means = mean.mutable_data_ptr<float>(),
             *inverses = inverse.mutable_data_ptr<float>();
        forEachImage(images.size(0), [&](std::int64_t i) {
            normaliseImage(shape, from + i * size, scale, shift, epsilon, to + i * size,
                           means + i * groups, inverses + i * groups);
        });
        context->save_for_backward({images, weight, mean, inverse});
        return result;
    }

    static variable_list backward(AutogradContext* context, const variable_list& gradients) {
        const auto saved = context->get_saved_variables();
        const torch::Tensor &images = saved[0], &weight = saved[1], &mean = saved[2],
                            &inverse = saved[3];
        const std::int64_t groups = mean.size(1);
        const NormShape shape = shapeOf(images, groups);
        const torch::Tensor gradient = gradients[0].contiguous(torch::MemoryFormat::ChannelsLast);
        torch::Tensor ofImages = torch::empty_like(images);
        torch::Tensor ofWeight = torch::empty({images.size(0), shape.channels}, images.options());
        torch::Tensor ofBias = torch::empty_like(ofWeight);
        const std::int64_t size = shape.positions * shape.channels;
        const auto *from = images.const_data_ptr<float>(),
                   *above = gradient.const_data_ptr<float>(),
                   *scale = weight.const_data_ptr<float>(), *means = mean.const_data_ptr<float>(),
                   *inverses = inverse.const_data_ptr<float>();
        auto *to = ofImages.mutable_data_ptr<float>(),
             *weights = ofWeight.mutable_data_ptr<float>(),
             *biases = ofBias.mutable_data_ptr<float>();
        forEachImage(images.size(0), [&](std::int64_t i) {
            normaliseImageBackward(shape, above + i * size, from + i * size, scale,
                                   means + i * groups, inverses + i * groups, to + i * size,
                                   weights + i * shape.channels, biases + i * shape.channels);
        });
        return {ofImages, ofWeight.sum(0), ofBias.sum(0), torch::Tensor(), torch::Tensor()};
    }
};

}  // namespace

torch::Tensor normalise(const torch::Tensor& images, torch::nn::GroupNorm& norm) {
    const bool perImage = images.is_cpu() && images.scalar_type() == torch::kFloat &&
                          norm->weight.scalar_type() == torch::kFloat &&
                          !at::autocast::is_autocast_enabled(at::kCPU) &&
                          images.suggest_memory_format() == torch::MemoryFormat::ChannelsLast;
    if (!perImage) {
        return norm->forward(images);
    }
    return NormPerImage::apply(images, norm->weight, norm->bias, norm->options.num_groups(),
                               norm->options.eps());
}

}  // namespace receiptbench
