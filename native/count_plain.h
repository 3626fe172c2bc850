// The engine's work as plain loops, straight from the definitions (docs/arithmetic.md): what a page
// of code without any thought of speed takes, as the compiler makes it for every processor.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace indirectml::plain {

// A sum of products in chains of 256.
class Total {
  public:
    void add(float a, float b) {
        if (count_ == 256) end_chain();
        chain_ = std::fma(a, b, chain_);
        ++count_;
    }
    float value() {
        end_chain();
        return total_;
    }

  private:
    void end_chain() {
        total_ = total_ + chain_;
        chain_ = 0;
        count_ = 0;
    }
    float total_ = 0, chain_ = 0;
    std::size_t count_ = 0;
};

struct Sizes {
    std::size_t rows, columns, depth;
};

// Elements (k, j) of b are at k * b_k + j * b_j.
inline void product(const Sizes& s, const float* a, const float* b, std::size_t b_k,
                    std::size_t b_j, float* c) {
    for (std::size_t i = 0; i < s.rows; ++i)
        for (std::size_t j = 0; j < s.columns; ++j) {
            Total total;
            for (std::size_t k = 0; k < s.depth; ++k) {
                total.add(a[i * s.depth + k], b[k * b_k + j * b_j]);
            }
            c[i * s.columns + j] = total.value();
        }
}

inline void integer_product(const Sizes& s, const std::uint8_t* a, std::int32_t a_zero,
                            const std::int8_t* b, std::int32_t b_zero, std::int32_t* c) {
    for (std::size_t i = 0; i < s.rows; ++i)
        for (std::size_t j = 0; j < s.columns; ++j) {
            std::int32_t sum = 0;
            for (std::size_t k = 0; k < s.depth; ++k) {
                sum += (a[i * s.depth + k] - a_zero) * (b[k * s.columns + j] - b_zero);
            }
            c[i * s.columns + j] = sum;
        }
}

// Square convolutions of one packed image.
struct Geometry {
    bool is_backward;
    std::size_t groups, channels, filters, input, filter, output, stride, padding;
};

// work(weight, pixel, is_inside) for each product of output (m, y, x), as indices.
template <typename Work>
void for_each_tap(const Geometry& g, std::size_t m, std::size_t y, std::size_t x,
                  const Work& work) {
    const std::size_t group = m / g.filters;
    for (std::size_t c = 0; c < g.channels; ++c)
        for (std::size_t r = 0; r < g.filter; ++r)
            for (std::size_t s = 0; s < g.filter; ++s) {
                std::size_t row, column;  // beyond the input where they would be below 0
                if (g.is_backward) {
                    row = y + g.padding - r;
                    column = x + g.padding - s;
                    if (row % g.stride || column % g.stride) continue;
                    row /= g.stride;
                    column /= g.stride;
                } else {
                    row = y * g.stride + r - g.padding;
                    column = x * g.stride + s - g.padding;
                }
                const std::size_t channel = group * g.channels + c;
                const std::size_t first = g.is_backward ? channel : m;
                const std::size_t second = g.is_backward ? m % g.filters : c;
                const std::size_t seconds = g.is_backward ? g.filters : g.channels;
                work(((first * seconds + second) * g.filter + r) * g.filter + s,
                     (channel * g.input + row) * g.input + column,
                     row < g.input && column < g.input);
            }
}

inline void convolution(const Geometry& g, const float* x, const float* w, float* out) {
    for (std::size_t m = 0; m < g.groups * g.filters; ++m)
        for (std::size_t i = 0; i < g.output; ++i)
            for (std::size_t j = 0; j < g.output; ++j) {
                Total total;
                for_each_tap(g, m, i, j, [&](std::size_t weight, std::size_t pixel, bool inside) {
                    total.add(inside ? x[pixel] : 0.0f, w[weight]);
                });
                *out++ = total.value();
            }
}

inline void integer_convolution(const Geometry& g, const std::uint8_t* x, std::int32_t x_zero,
                                const std::int8_t* w, std::int32_t* out) {
    for (std::size_t m = 0; m < g.groups * g.filters; ++m)
        for (std::size_t i = 0; i < g.output; ++i)
            for (std::size_t j = 0; j < g.output; ++j) {
                std::int32_t sum = 0;
                for_each_tap(g, m, i, j, [&](std::size_t weight, std::size_t pixel, bool inside) {
                    if (inside) sum += (x[pixel] - x_zero) * w[weight];
                });
                *out++ = sum;
            }
}

// The sum of of(element) by rule S16, over `outer` runs of `count` elements.
template <typename Of>
double sum(const float* x, std::size_t outer, std::size_t outer_step, std::size_t count,
           std::size_t step, const Of& of) {
    double sums[16] = {};
    std::size_t number = 0;
    for (std::size_t i = 0; i < outer; ++i)
        for (std::size_t j = 0; j < count; ++j) {
            sums[number++ % 16] += of(static_cast<double>(x[i * outer_step + j * step]));
        }
    for (int half = 8; half > 0; half /= 2)
        for (int i = 0; i < half; ++i) sums[i] += sums[i + half];
    return sums[0];
}

inline void moments(const float* x, std::size_t count, std::size_t step, double* mean,
                    double* variance) {
    const auto n = static_cast<double>(count);
    const double m = sum(x, 1, 0, count, step, [](double e) { return e; }) / n;
    *mean = m;
    *variance = sum(x, 1, 0, count, step, [m](double e) { return (e - m) * (e - m); }) / n;
}

inline void layer_norm(const float* x, std::size_t count, const double* scale, const double* bias,
                       double epsilon, float* out) {
    double mean, variance;
    moments(x, count, 1, &mean, &variance);
    const double inverse = 1 / std::sqrt(variance + epsilon);
    for (std::size_t j = 0; j < count; ++j) {
        const double y = (static_cast<double>(x[j]) - mean) * inverse;
        out[j] = static_cast<float>(y * scale[j] + bias[j]);
    }
}

inline void softmax(const float* x, std::size_t count, bool is_log, float* out) {
    float largest = x[0];
    for (std::size_t j = 1; j < count; ++j) largest = x[j] > largest ? x[j] : largest;
    std::vector<float> powers(count);
    for (std::size_t j = 0; j < count; ++j) {
        powers[j] = static_cast<float>(std::exp(static_cast<double>(x[j] - largest)));
    }
    const double s = sum(powers.data(), 1, 0, count, 1, [](double e) { return e; });
    const double inverse = 1 / s;
    const float log = static_cast<float>(std::log(s));
    for (std::size_t j = 0; j < count; ++j) {
        out[j] = is_log ? x[j] - largest - log
                        : static_cast<float>(static_cast<double>(powers[j]) * inverse);
    }
}

inline void running_sums(const float* x, std::size_t outer, std::size_t size, std::size_t inner,
                         float* out) {
    for (std::size_t o = 0; o < outer; ++o) {
        for (std::size_t i = 0; i < inner; ++i) {
            float total = 0;
            for (std::size_t k = 0; k < size; ++k) {
                const std::size_t at = (o * size + k) * inner + i;
                total += x[at];
                out[at] = total == total ? total : std::nanf("");
            }
        }
    }
}

// Windows of 3 x 3, one position apart from the border, every second.
template <typename Of>
void windows(const float* x, std::size_t planes, std::size_t size, float* out, const Of& of) {
    for (std::size_t p = 0; p < planes; ++p)
        for (std::size_t i = 0; i < size / 2; ++i)
            for (std::size_t j = 0; j < size / 2; ++j) {
                float elements[9];
                std::size_t count = 0;
                for (std::size_t r = 0; r < 3; ++r)
                    for (std::size_t s = 0; s < 3; ++s) {
                        const std::size_t row = 2 * i + r - 1, column = 2 * j + s - 1;
                        if (row < size && column < size) {
                            elements[count++] = x[(p * size + row) * size + column];
                        }
                    }
                *out++ = of(elements, count);
            }
}
inline float average(const float* elements, std::size_t count) {
    double total = 0;
    for (std::size_t k = 0; k < count; ++k) total += static_cast<double>(elements[k]);
    return static_cast<float>(total / static_cast<double>(count));
}
inline float largest(const float* elements, std::size_t count) {
    float most = -std::numeric_limits<float>::infinity();
    for (std::size_t k = 0; k < count; ++k) {
        if (elements[k] > most || elements[k] != elements[k]) most = elements[k];
    }
    return most;
}

// To twice the size along both axes, two taps along each, as sums::Taps has them.
inline void resample(const float* x, std::size_t planes, std::size_t size,
                     const std::int32_t* indices, const double* weights, float* out) {
    const std::size_t larger = 2 * size;
    std::vector<double> across(size * larger);
    for (std::size_t p = 0; p < planes; ++p, x += size * size) {
        for (std::size_t i = 0; i < size; ++i)
            for (std::size_t j = 0; j < larger; ++j) {
                double total = 0;
                for (std::size_t k = 0; k < 2; ++k) {
                    const auto at = static_cast<std::size_t>(indices[k * larger + j]);
                    total += static_cast<double>(x[i * size + at]) * weights[k * larger + j];
                }
                across[i * larger + j] = total;
            }
        for (std::size_t i = 0; i < larger; ++i)
            for (std::size_t j = 0; j < larger; ++j) {
                double total = 0;
                for (std::size_t k = 0; k < 2; ++k) {
                    const auto at = static_cast<std::size_t>(indices[k * larger + i]);
                    total += across[at * larger + j] * weights[k * larger + i];
                }
                *out++ = static_cast<float>(total);
            }
    }
}

}  // namespace indirectml::plain
