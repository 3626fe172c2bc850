// Weighted taps along axes.

#include <algorithm>
#include <cstring>
#include <vector>

#include "../team.h"
#include "layout.h"
#include "sums.h"
#include "windows.h"

namespace indirectml {
namespace sums {

namespace {

constexpr std::uint64_t kElementsPerThread = 1 << 17;

// Resamples one slice after the other.
class Resampling {
  public:
    Resampling(const unsigned char* x, Type type, const Images& images, Type out_type,
               unsigned char* out, const Kernels& kernels)
        : x_(x),
          out_(out),
          item_(item_bytes(type)),
          out_item_(item_bytes(out_type)),
          i_(images),
          widen_(kernels.widen[static_cast<int>(type)][static_cast<int>(Map::kSame)]),
          mix_(kernels.mix[static_cast<int>(out_type)]),
          pick_(kernels.pick),
          across_(images.rows * images.out_columns),
          wide_(images.columns) {
        if (images.across.count) has_taps_ = outputs_with_taps(images.across, images.out_columns);
    }

    void slice(std::uint64_t s) {
        for (std::uint64_t r = 0; r < i_.rows; ++r) {
            const unsigned char* row = x_ + (s * i_.rows + r) * i_.columns * item_;
            double* to = across_.data() + r * i_.out_columns;
            pieces_.done(i_.columns + i_.out_columns);
            if (i_.across.count == 0) {
                widen_(row, i_.columns, 0, to);
                continue;
            }
            widen_(row, i_.columns, 0, wide_.data());
            pick_(wide_.data(), i_.across.indices, i_.across.weights, i_.across.count,
                  i_.out_columns, to);
            for (std::uint64_t c = 0; c < i_.out_columns; ++c) {
                if (!has_taps_[c]) to[c] = 0;
            }
        }
        for (std::uint64_t r = 0; r < i_.out_rows; ++r) {
            unsigned char* to = out_ + (s * i_.out_rows + r) * i_.out_columns * out_item_;
            pieces_.done(i_.out_columns);
            rows_.clear();
            weights_.clear();
            if (i_.down.count == 0) take(r, 1);
            for (std::uint64_t k = 0; k < i_.down.count; ++k) {
                const double weight = i_.down.weights[k * i_.out_rows + r];
                if (weight != 0) {
                    take(static_cast<std::uint64_t>(i_.down.indices[k * i_.out_rows + r]), weight);
                }
            }
            if (rows_.empty()) {
                std::memset(to, 0, i_.out_columns * out_item_);
            } else {
                mix_(rows_.data(), weights_.data(), rows_.size(), i_.out_columns, to);
            }
        }
    }

  private:
    static std::vector<char> outputs_with_taps(const Taps& taps, std::uint64_t outputs) {
        std::vector<char> found(outputs, 0);
        for (std::uint64_t k = 0; k < taps.count * outputs; ++k) {
            if (taps.weights[k] != 0) found[k % outputs] = 1;
        }
        return found;
    }
    void take(std::uint64_t row, double weight) {
        rows_.push_back(across_.data() + row * i_.out_columns);
        weights_.push_back(weight);
    }

    const unsigned char* const x_;
    unsigned char* const out_;
    const std::size_t item_, out_item_;
    const Images& i_;
    const WidenKernel widen_;
    const MixKernel mix_;
    const PickKernel pick_;
    std::vector<double> across_, wide_, weights_;
    std::vector<const double*> rows_;
    std::vector<char> has_taps_;
    Pieces pieces_;
};

}  // namespace

void resample(const unsigned char* x, Type type, const Images& images, Type out_type,
              unsigned char* out, const Policy& policy) {
    const std::uint64_t elements =
        images.rows * images.columns + images.out_rows * images.out_columns;
    const unsigned parts =
        part_count(images.slices, images.slices * elements, kElementsPerThread, policy);
    run_team(parts, [&](unsigned part) {
        Resampling resampling(x, type, images, out_type, out, kernels_of(*policy.target));
        const Share slices = share_of(images.slices, 1, part, parts);
        for (std::uint64_t s = slices.begin; s < slices.end; ++s) resampling.slice(s);
    });
}

}  // namespace sums
}  // namespace indirectml
