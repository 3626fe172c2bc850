#include "regions.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "../team.h"
#include "layout.h"
#include "sums.h"

namespace indirectml {
namespace sums {

namespace {

constexpr std::uint64_t kSamplesPerThread = 1 << 13;

double half_number(std::uint16_t bits) {
    const std::uint32_t rest = bits & 0x7FFF;
    double value = static_cast<double>(rest) * 0x1p-24;
    if (rest >= 0x400) {
        const std::uint32_t wide = (rest << 13) + (rest >= 0x7C00 ? 0x70000000 : 0x38000000);
        float number;
        std::memcpy(&number, &wide, sizeof(number));
        value = static_cast<double>(number);
    }
    return bits >> 15 ? -value : value;
}

double number_at(const Floats& x, std::uint64_t j) {
    const unsigned char* const at = x.data + j * item_bytes(x.type);
    switch (x.type) {
        case Type::kHalf: {
            std::uint16_t bits;
            std::memcpy(&bits, at, sizeof(bits));
            return half_number(bits);
        }
        case Type::kSingle: {
            float number;
            std::memcpy(&number, at, sizeof(number));
            return static_cast<double>(number);
        }
        default: {
            double number;
            std::memcpy(&number, at, sizeof(number));
            return number;
        }
    }
}

// The number of a region's image, or that of all images where there is none of that number.
std::uint64_t image_of(const Regions& regions, std::uint64_t region, std::uint64_t count) {
    const unsigned char* const at = regions.images + region * regions.image_bytes;
    std::uint64_t number = 0;
    for (std::size_t k = regions.image_bytes; k-- > 0;) number = number << 8 | at[k];
    const bool is_negative = regions.image_is_signed && at[regions.image_bytes - 1] >> 7;
    return is_negative ? count : std::min(number, count);
}

// A sample along an axis: the elements beside it, of which the second counts `weight`, and how far it
// lies from the start of its region, as a part of its length.
struct Sample {
    std::uint64_t low, high;
    double weight, fraction;
    bool is_inside;
};

// The samples of a region along an axis, `count` for each output.
struct Line {
    std::uint64_t count = 0;
    std::vector<Sample> samples;

    void set(double start, double end, std::uint64_t outputs, std::uint64_t size,
             const Sampling& how, bool is_nearest) {
        const double length = end - start;
        const double wanted = std::isfinite(length) ? std::ceil(length / static_cast<double>(outputs)) : 0;
        count = wanted >= static_cast<double>(how.most) ? how.most
                : wanted <= static_cast<double>(how.fewest)
                    ? how.fewest
                    : static_cast<std::uint64_t>(wanted);
        const std::uint64_t total = outputs * count;
        samples.resize(total);
        const double last = static_cast<double>(size) - 1;
        for (std::uint64_t k = 0; k < total; ++k) {
            const double at = static_cast<double>(k) - how.output_offset;
            double fraction = 0.5;
            if (!how.is_stretched) {
                fraction = at / static_cast<double>(total);
            } else if (total > 1) {
                fraction = at / static_cast<double>(total - 1);
            }
            double place = fraction * length + start - how.input_offset;
            const bool is_inside = place >= -1 && place <= static_cast<double>(size);
            place = is_inside ? std::min(std::max(place, 0.0), last) : 0;
            if (is_nearest) {
                // Of two the one with the lower position; from -0.5 on it is the first.
                const auto nearest = static_cast<std::uint64_t>(std::ceil(place - 0.5));
                samples[k] = {nearest, nearest, 0, fraction, is_inside};
            } else {
                const double low = std::floor(place);
                samples[k] = {static_cast<std::uint64_t>(low),
                              static_cast<std::uint64_t>(std::ceil(place)), place - low, fraction,
                              is_inside};
            }
        }
    }
    const Sample& of(std::uint64_t output, std::uint64_t sample) const {
        return samples[output * count + sample];
    }
};

// The samples of a region along y and x.
struct Grid {
    Line y, x;

    void set(const Regions& regions, std::uint64_t region, const ImageSizes& sizes,
             const Sampling& how, bool is_nearest) {
        double at[4];
        for (std::uint64_t k = 0; k < 4; ++k) {
            at[k] = number_at(regions.corners, 4 * region + k) * (k % 2 ? how.scale_y : how.scale_x);
        }
        y.set(at[1], at[3], regions.rows, sizes.height, how, is_nearest);
        x.set(at[0], at[2], regions.columns, sizes.width, how, is_nearest);
    }
    std::uint64_t count() const { return y.count * x.count; }
};

double between(double before, double behind, double weight) {
    return weight == 0 ? before : before * (1 - weight) + behind * weight;
}

// A channel of an image.
struct Plane {
    Floats x;
    std::uint64_t width;

    Plane(const Floats& all, const ImageSizes& sizes, std::uint64_t number)
        : x{all.data + number * sizes.height * sizes.width * item_bytes(all.type), all.type},
          width(sizes.width) {}
    double at(std::uint64_t row, std::uint64_t column) const {
        return number_at(x, row * width + column);
    }
    double along(std::uint64_t row, const Sample& column) const {
        const double first = at(row, column.low);
        return column.weight == 0 ? first : between(first, at(row, column.high), column.weight);
    }
    double value(const Sample& row, const Sample& column) const {
        const double first = along(row.low, column);
        return row.weight == 0 ? first : between(first, along(row.high, column), row.weight);
    }
};

bool is_larger(double a, double b) {
    if (a != a || b != b) return a != a && b == b;
    return a > b || (a == 0 && b == 0 && std::signbit(b) && !std::signbit(a));
}

double aligned(const Plane& plane, const Grid& grid, std::uint64_t i, std::uint64_t j,
               const Sampling& how, double outside) {
    double total = 0;
    for (std::uint64_t a = 0; a < grid.y.count; ++a) {
        const Sample& y = grid.y.of(i, a);
        for (std::uint64_t b = 0; b < grid.x.count; ++b) {
            const Sample& x = grid.x.of(j, b);
            const double sample = y.is_inside && x.is_inside ? plane.value(y, x) : outside;
            if (a == 0 && b == 0) {
                total = sample;
            } else if (!how.is_largest) {
                total += sample;
            } else if (is_larger(sample, total)) {
                total = sample;
            }
        }
    }
    return canonical(how.is_largest ? total : total / static_cast<double>(grid.count()));
}

// The samples that are the largest of their cells, of those inside; the count of samples where there is
// none.
void choose(const Plane& plane, const Grid& grid, const Regions& regions, std::uint64_t* chosen) {
    for (std::uint64_t i = 0; i < regions.rows; ++i) {
        for (std::uint64_t j = 0; j < regions.columns; ++j) {
            std::uint64_t found = grid.count();
            double best = 0;
            for (std::uint64_t a = 0; a < grid.y.count; ++a) {
                const Sample& y = grid.y.of(i, a);
                for (std::uint64_t b = 0; b < grid.x.count; ++b) {
                    const Sample& x = grid.x.of(j, b);
                    if (!y.is_inside || !x.is_inside) continue;
                    const double sample = plane.value(y, x);
                    if (found < grid.count() && !is_larger(sample, best)) continue;
                    best = sample;
                    found = a * grid.x.count + b;
                }
            }
            chosen[i * regions.columns + j] = found;
        }
    }
}

// What a sample has of the gradient of its cell.
double share_of_sample(double gradient, const Grid& grid, const Sample& y, const Sample& x,
                       bool is_largest, bool is_chosen) {
    if (is_largest) return is_chosen ? gradient : 0;
    return y.is_inside && x.is_inside ? gradient / static_cast<double>(grid.count()) : 0;
}

// Adds what comes back from a region to a channel of its image.
void give(const Plane& gradient, const Grid& grid, const Regions& regions,
          const std::uint64_t* chosen, std::uint64_t width, double* total) {
    for (std::uint64_t sample = 0; sample < grid.count(); ++sample) {
        for (int corner = 0; corner < 4; ++corner) {
            for (std::uint64_t i = 0; i < regions.rows; ++i) {
                const Sample& y = grid.y.of(i, sample / grid.x.count);
                const double along_y = corner / 2 ? y.weight : 1 - y.weight;
                double* const row = total + (corner / 2 ? y.high : y.low) * width;
                for (std::uint64_t j = 0; j < regions.columns; ++j) {
                    const Sample& x = grid.x.of(j, sample % grid.x.count);
                    const double weight = along_y * (corner % 2 ? x.weight : 1 - x.weight);
                    // Sums are never -0, so that +0 changes none.
                    if (weight == 0) continue;
                    const bool is_chosen = chosen && chosen[i * regions.columns + j] == sample;
                    row[corner % 2 ? x.high : x.low] +=
                        weight *
                        share_of_sample(gradient.at(i, j), grid, y, x, chosen != nullptr, is_chosen);
                }
            }
        }
    }
}

// The coordinates x1, y1, x2, y2 that a sample moves, one after the other.
void move(const Plane& plane, const Sample& y, const Sample& x, double share, const Sampling& how,
          double* sums) {
    const double top_left = plane.at(y.low, x.low), top_right = plane.at(y.low, x.high);
    const double bottom_left = plane.at(y.high, x.low), bottom_right = plane.at(y.high, x.high);
    const double along_x = between(top_right - top_left, bottom_right - bottom_left, y.weight) * share;
    const double along_y = between(bottom_left - top_left, bottom_right - top_right, x.weight) * share;
    sums[0] += along_x * (1 - x.fraction) * how.scale_x;
    sums[1] += along_y * (1 - y.fraction) * how.scale_y;
    sums[2] += along_x * x.fraction * how.scale_x;
    sums[3] += along_y * y.fraction * how.scale_y;
}

// A coordinate as it is rounded, and whether it is one.
float coordinate(const Floats& corners, std::uint64_t at, float scale) {
    return static_cast<float>(number_at(corners, at)) * scale;
}
bool rounded_away(float value, std::int64_t* to) {
    if (!std::isfinite(value)) return false;
    *to = static_cast<std::int64_t>(std::round(static_cast<double>(value)));
    return true;
}
// Below this, whatever is done with coordinates stays within 64 bits.
constexpr float kMostCoordinate = 0x1p30f;

// Elements from the first to before the last one, of a cell along an axis.
struct Part {
    std::uint64_t begin, end;
};
std::vector<Part> cells_of(std::int64_t start, std::int64_t end, std::uint64_t outputs,
                           std::uint64_t size) {
    const std::int64_t length = std::max<std::int64_t>(end - start + 1, 1);
    const auto count = static_cast<std::int64_t>(outputs), most = static_cast<std::int64_t>(size);
    const auto inside = [&](std::int64_t at) {
        return static_cast<std::uint64_t>(std::clamp<std::int64_t>(at, 0, most));
    };
    std::vector<Part> cells;
    for (std::int64_t i = 0; i < count; ++i) {
        cells.push_back({inside(start + i * length / count),
                         inside(start + ((i + 1) * length + count - 1) / count)});
    }
    return cells;
}

double largest_in(const Plane& plane, const Part& rows, const Part& columns) {
    if (rows.begin >= rows.end || columns.begin >= columns.end) return 0;
    double best = plane.at(rows.begin, columns.begin);
    for (std::uint64_t i = rows.begin; i < rows.end; ++i) {
        for (std::uint64_t j = columns.begin; j < columns.end; ++j) {
            const double value = plane.at(i, j);
            if (is_larger(value, best)) best = value;
        }
    }
    return canonical(best);
}

}  // namespace

bool can_be_pooled(const Floats& corners, std::uint64_t count, float scale) {
    for (std::uint64_t k = 0; k < 5 * count; ++k) {
        const float at = k % 5 ? coordinate(corners, k, scale) : 0;
        if (std::isfinite(at) && std::fabs(at) > kMostCoordinate) return false;
    }
    return true;
}

void pool_regions(const Floats& x, const ImageSizes& sizes, const Regions& regions, float scale,
                  Type out_type, unsigned char* out, const Policy& policy) {
    const auto narrow = kernels_of(*policy.target).narrow[static_cast<int>(out_type)];
    const std::uint64_t cells = regions.rows * regions.columns;
    const unsigned parts = part_count(regions.count, regions.count * sizes.channels * cells,
                                      kSamplesPerThread, policy);
    run_team(parts, [&](unsigned part) {
        Pieces pieces;
        std::vector<double> row(regions.columns);
        const Share share = share_of(regions.count, 1, part, parts);
        for (std::uint64_t region = share.begin; region < share.end; ++region) {
            const float image = static_cast<float>(number_at(regions.corners, 5 * region));
            std::int64_t at[4] = {0, 0, 0, 0};
            bool is_there = image >= 0 && static_cast<double>(image) < static_cast<double>(sizes.count);
            for (std::uint64_t k = 0; k < 4; ++k) {
                const float value = coordinate(regions.corners, 5 * region + k + 1, scale);
                is_there = rounded_away(value, at + k) && is_there;
            }
            // Of what is not there all cells are without an element.
            std::vector<Part> down(regions.rows), across(regions.columns);
            std::uint64_t first = 0;
            if (is_there) {
                down = cells_of(at[1], at[3], regions.rows, sizes.height);
                across = cells_of(at[0], at[2], regions.columns, sizes.width);
                first = static_cast<std::uint64_t>(image) * sizes.channels;
            }
            for (std::uint64_t n = 0; n < sizes.channels * regions.rows; ++n) {
                const Plane plane(x, sizes, first + n / regions.rows);
                const Part& rows = down[n % regions.rows];
                std::uint64_t read = 0;
                for (std::uint64_t j = 0; j < regions.columns; ++j) {
                    row[j] = largest_in(plane, rows, across[j]);
                    read += 1 + (rows.end - rows.begin) * (across[j].end - across[j].begin);
                }
                narrow(row.data(), regions.columns,
                       out + (region * sizes.channels * cells + n * regions.columns) *
                                 item_bytes(out_type));
                pieces.done(read);
            }
        }
    });
}

void align_regions(const Floats& x, const ImageSizes& sizes, const Regions& regions,
                   const Sampling& sampling, double outside, Type out_type, unsigned char* out,
                   const Policy& policy) {
    const auto narrow = kernels_of(*policy.target).narrow[static_cast<int>(out_type)];
    const std::uint64_t planes = regions.count * sizes.channels;
    const std::uint64_t cells = regions.rows * regions.columns;
    const unsigned parts = part_count(planes, planes * cells * sampling.fewest * sampling.fewest,
                                      kSamplesPerThread, policy);
    run_team(parts, [&](unsigned part) {
        Grid grid;
        std::vector<double> row(regions.columns);
        Pieces pieces;
        std::uint64_t known = regions.count;
        const Share share = share_of(planes, 1, part, parts);
        for (std::uint64_t n = share.begin; n < share.end; ++n) {
            const std::uint64_t region = n / sizes.channels;
            const std::uint64_t image = image_of(regions, region, sizes.count);
            if (image < sizes.count && known != region) {
                grid.set(regions, region, sizes, sampling, sampling.is_nearest);
                known = region;
            }
            const Plane plane(x, sizes, (image < sizes.count ? image : 0) * sizes.channels +
                                            n % sizes.channels);
            for (std::uint64_t i = 0; i < regions.rows; ++i) {
                for (std::uint64_t j = 0; j < regions.columns; ++j) {
                    row[j] = image < sizes.count ? aligned(plane, grid, i, j, sampling, outside)
                                                 : canonical(outside);
                }
                narrow(row.data(), regions.columns,
                       out + (n * cells + i * regions.columns) * item_bytes(out_type));
                pieces.done(regions.columns * (1 + grid.count()));
            }
        }
    });
}

void align_gradient(const Floats& x, const Floats& gradient, const ImageSizes& sizes,
                    const Regions& regions, const Sampling& sampling, Type out_type,
                    unsigned char* out, const Policy& policy) {
    const auto narrow = kernels_of(*policy.target).narrow[static_cast<int>(out_type)];
    const std::uint64_t planes = sizes.count * sizes.channels, elements = sizes.height * sizes.width;
    const std::uint64_t cells = regions.rows * regions.columns;
    const ImageSizes of_cells{regions.count, sizes.channels, regions.rows, regions.columns};
    const unsigned parts = part_count(
        planes, sizes.channels * regions.count * cells + planes * elements, kSamplesPerThread, policy);
    run_team(parts, [&](unsigned part) {
        Grid grid;
        std::vector<double> total(elements);
        std::vector<std::uint64_t> chosen(sampling.is_largest ? cells : 0);
        Pieces pieces;
        const Share share = share_of(planes, 1, part, parts);
        for (std::uint64_t n = share.begin; n < share.end; ++n) {
            std::fill(total.begin(), total.end(), 0.0);
            for (std::uint64_t region = 0; region < regions.count; ++region) {
                if (image_of(regions, region, sizes.count) != n / sizes.channels) continue;
                grid.set(regions, region, sizes, sampling, sampling.is_nearest);
                if (sampling.is_largest) choose({x, sizes, n}, grid, regions, chosen.data());
                const Plane own(gradient, of_cells, region * sizes.channels + n % sizes.channels);
                give(own, grid, regions, sampling.is_largest ? chosen.data() : nullptr, sizes.width,
                     total.data());
                pieces.done(cells * grid.count());
            }
            for (double& each : total) each = canonical(each);
            narrow(total.data(), elements, out + n * elements * item_bytes(out_type));
            pieces.done(elements);
        }
    });
}

void align_gradient_of_regions(const Floats& x, const Floats& gradient, const ImageSizes& sizes,
                               const Regions& regions, const Sampling& sampling, Type out_type,
                               unsigned char* out, const Policy& policy) {
    const auto narrow = kernels_of(*policy.target).narrow[static_cast<int>(out_type)];
    const std::uint64_t cells = regions.rows * regions.columns;
    const unsigned parts = part_count(regions.count, regions.count * sizes.channels * cells,
                                      kSamplesPerThread, policy);
    run_team(parts, [&](unsigned part) {
        Grid grid, linear;
        std::vector<std::uint64_t> chosen(sampling.is_largest ? sizes.channels * cells : 0);
        Pieces pieces;
        const Share share = share_of(regions.count, 1, part, parts);
        for (std::uint64_t region = share.begin; region < share.end; ++region) {
            double sums[4] = {0, 0, 0, 0};
            const std::uint64_t image = image_of(regions, region, sizes.count);
            if (image < sizes.count) {
                const std::uint64_t first = image * sizes.channels;
                grid.set(regions, region, sizes, sampling, sampling.is_nearest);
                linear.set(regions, region, sizes, sampling, false);
                for (std::uint64_t c = 0; c < sizes.channels && sampling.is_largest; ++c) {
                    choose({x, sizes, first + c}, grid, regions, chosen.data() + c * cells);
                }
                for (std::uint64_t sample = 0; sample < grid.count(); ++sample) {
                    for (std::uint64_t n = 0; n < sizes.channels * cells; ++n) {
                        const Plane plane(x, sizes, first + n / cells);
                        const std::uint64_t i = n % cells / regions.columns;
                        const std::uint64_t j = n % regions.columns;
                        const Sample& along_y = linear.y.of(i, sample / grid.x.count);
                        const Sample& along_x = linear.x.of(j, sample % grid.x.count);
                        const bool is_chosen = sampling.is_largest && chosen[n] == sample;
                        const double own = number_at(gradient, region * sizes.channels * cells + n);
                        move(plane, along_y, along_x,
                             share_of_sample(own, grid, along_y, along_x, sampling.is_largest,
                                             is_chosen),
                             sampling, sums);
                    }
                    pieces.done(sizes.channels * cells);
                }
            }
            for (double& each : sums) each = canonical(each);
            narrow(sums, 4, out + 4 * region * item_bytes(out_type));
        }
    });
}

}  // namespace sums
}  // namespace indirectml
