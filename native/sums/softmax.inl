// Softmax in terms of lanes: the largest of a row, powers of e, and their shares. Included by
// bodies.inl.

struct HalfToSingle {
    static constexpr std::size_t kBytes = 2;
    static F load(const unsigned char* at) {
        return S::widen(reinterpret_cast<const std::uint16_t*>(at));
    }
    static F load_part(const unsigned char* at, std::size_t count) {
        return S::widen_part(reinterpret_cast<const std::uint16_t*>(at), count);
    }
};
struct SingleToSingle {
    static constexpr std::size_t kBytes = 4;
    static F load(const unsigned char* at) { return S::load(reinterpret_cast<const float*>(at)); }
    static F load_part(const unsigned char* at, std::size_t count) {
        return S::load_part(reinterpret_cast<const float*>(at), count);
    }
};

// The last elements of a row are done again with the last whole vector; a row that is shorter than a
// vector is filled up with copies of its first element.
template <typename E>
class Row {
  public:
    Row(const unsigned char* x, std::size_t size) : x_(x), last_(size - kSingles) {
        if (size >= kSingles) return;
        for (std::size_t k = 0; k < kSingles; ++k) {
            std::memcpy(filled_ + k * E::kBytes, x + (k < size ? k : 0) * E::kBytes, E::kBytes);
        }
        x_ = filled_;
        last_ = 0;
    }
    Row(const Row&) = delete;
    Row& operator=(const Row&) = delete;
    std::size_t place(std::size_t j) const { return j < last_ ? j : last_; }
    F load(std::size_t j) const { return E::load(x_ + place(j) * E::kBytes); }

  private:
    alignas(64) unsigned char filled_[kSingles * E::kBytes];
    const unsigned char* x_;
    std::size_t last_;
};

// The largest lane of `high` and the smallest of `low`: two lanes at a time, of both at once.
inline float largest_lane(F high, F low, float* smallest) {
    const F minus_low = S::subtract(S::zero(), low);
    F both = S::max(S::even(high, minus_low), S::odd(high, minus_low));
    for (std::size_t count = kSingles / 2; count > 1; count /= 2) {
        both = S::max(S::even(both, both), S::odd(both, both));
    }
    float lanes[kSingles];
    S::store(lanes, both);
    *smallest = -lanes[1];
    return lanes[0];
}

// Of two operands with a NaN among them, `max` and `min` give the second.
template <typename E>
float largest(const unsigned char* x, std::size_t size, float* smallest) {
    const Row<E> row(x, size);
    constexpr std::size_t kChains = 4;
    const float infinity = HUGE_VALF;
    F high[kChains], low[kChains];
    for (std::size_t k = 0; k < kChains; ++k) {
        high[k] = S::set(-infinity);
        low[k] = S::set(infinity);
    }
    for (std::size_t j = 0; j < size; j += kChains * kSingles) {
        for (std::size_t k = 0; k < kChains; ++k) {
            const F v = row.load(j + k * kSingles);
            high[k] = S::max(v, high[k]);
            low[k] = S::min(v, low[k]);
        }
    }
    return largest_lane(S::max(S::max(high[0], high[1]), S::max(high[2], high[3])),
                        S::min(S::min(low[0], low[1]), S::min(low[2], low[3])), smallest);
}

// t = x * factor - m. Up to a whole vector is written.
template <typename E>
void differences(const unsigned char* x, std::size_t size, float factor, float m, float* t) {
    const Row<E> row(x, size);
    const F minus_m = S::set(-m), by = S::set(factor);
    for (std::size_t j = 0; j < size; j += kSingles) {
        S::store(t + row.place(j), S::add(S::mul(row.load(j), by), minus_m));
    }
}

// Some vectors of columns from x on, which do not wait for each other.
template <std::size_t kVectors>
inline F column_differences(float* x, std::size_t size, std::size_t columns, F by, F lowest) {
    F most[kVectors], least[kVectors];
    for (std::size_t k = 0; k < kVectors; ++k) most[k] = S::set(-HUGE_VALF), least[k] = S::set(HUGE_VALF);
    for (std::size_t j = 0; j < size; ++j) {
        for (std::size_t k = 0; k < kVectors; ++k) {
            const F v = S::load(x + j * columns + k * kSingles);
            most[k] = S::max(v, most[k]);
            least[k] = S::min(v, least[k]);
        }
    }
    F minus_m[kVectors];
    for (std::size_t k = 0; k < kVectors; ++k) {
        minus_m[k] = S::subtract(S::set(-0.0f), S::mul(most[k], by));
        lowest = S::min(S::add(S::mul(least[k], by), minus_m[k]), lowest);
    }
    for (std::size_t j = 0; j < size; ++j) {
        for (std::size_t k = 0; k < kVectors; ++k) {
            float* const at = x + j * columns + k * kSingles;
            S::store(at, S::add(S::mul(S::load(at), by), minus_m[k]));
        }
    }
    return lowest;
}

float column_differences(float* x, std::size_t size, std::size_t columns, float factor) {
    constexpr std::size_t kVectors = 4;
    const F by = S::set(factor);
    F lowest = S::zero();
    std::size_t c = 0;
    for (; c + kVectors * kSingles <= columns; c += kVectors * kSingles) {
        lowest = column_differences<kVectors>(x + c, size, columns, by, lowest);
    }
    for (; c < columns; c += kSingles) lowest = column_differences<1>(x + c, size, columns, by, lowest);
    float lanes[kSingles], smallest = 0;
    S::store(lanes, lowest);
    for (const float lane : lanes) smallest = lane < smallest ? lane : smallest;
    return smallest;
}

template <typename Type, Type kOf>
struct Constant {
    static constexpr Type kValue = kOf;
};

template <typename Lanes = S>
void powers(const PowersOfRows& p, functions::Kernel exact) {
    if constexpr (Lanes::kPicks) {
        const std::size_t last = p.size - Lanes::kCount;
        const auto argument_at = [&](std::size_t place) {
            const std::size_t r = place / p.e_step;
            return p.x[r * p.x_step + place - r * p.e_step] * p.factor - p.largest[r];
        };
        const auto run = [&](auto which, auto in_place, auto is_scaled, auto fetches) {
            const auto arguments = [&](std::size_t r) {
                const float* const x = p.x + r * p.x_step;
                const float* const next_x = p.next_x + r * p.x_step;
                const float* const next_out = p.next_out + r * p.next_out_step;
                const auto minus_m = Lanes::set(-p.largest[r]), factor = Lanes::set(p.factor);
                return [=](std::size_t j, typename Lanes::Vector& t) {
                    const std::size_t place = j < last ? j : last;
                    if constexpr (decltype(fetches)::kValue) {
                        prefetch(next_x + place);
                        prefetch(next_out + place);
                    }
                    t = Lanes::load(x + place);
                    if constexpr (decltype(is_scaled)::kValue) t = Lanes::mul(t, factor);
                    t = Lanes::add(t, minus_m);
                    return place;
                };
            };
            powers_of_rows<Lanes, decltype(which)::kValue, decltype(in_place)::kValue>(
                arguments, argument_at, p.rows, p.size, exact, p.e, p.e_step);
        };
        using Yes = Constant<bool, true>;
        using No = Constant<bool, false>;
        if (!(p.lowest > -kPowerBound)) {
            run(Constant<Powers, Powers::kNegative>(), Yes(), Yes(), Yes());
        } else if (p.x == p.e) {
            run(Constant<Powers, Powers::kNear>(), Yes(), No(), No());  // what came before left it in the cache
        } else if (p.factor == 1) {
            run(Constant<Powers, Powers::kNear>(), No(), No(), Yes());
        } else {
            run(Constant<Powers, Powers::kNear>(), No(), Yes(), Yes());
        }
    } else {
        for (std::size_t r = 0; r < p.rows; ++r) {
            float* const e = p.e + r * p.e_step;
            for (std::size_t j = 0; j < p.size; ++j) e[j] = p.x[r * p.x_step + j] * p.factor - p.largest[r];
            exact(e, e, e, p.size);
        }
    }
}

// An inverse as high + low, low once too small and once too large by 2^-46 of it, which is twice what the two roundings
// of e * low + e * high lose before the last one.
struct InverseInSingles {
    float high, low, upper;
    explicit InverseInSingles(double inverse) : high(static_cast<float>(inverse)) {
        const double rest = inverse - high, margin = inverse * 0x1p-46;
        low = static_cast<float>(rest - margin);
        upper = static_cast<float>(rest + margin);
    }
};

// Shares by both ends, and whether these are rounded to the same numbers: then so is what lies between them. No e * low
// is so small that it loses more.
template <typename Lanes>
class SharesInSingles {
  public:
    using Vector = typename Lanes::Vector;
    SharesInSingles(Vector high, Vector low, Vector upper) : high_(high), low_(low), upper_(upper) {}
    Vector of(Vector power) {
        const Vector y = Lanes::fma(power, high_, Lanes::mul(power, low_));
        const Vector above = Lanes::fma(power, high_, Lanes::mul(power, upper_));
        differences_ = Lanes::with_differences(differences_, y, above);
        return y;
    }
    bool are_right() const { return Lanes::unequal(differences_, Lanes::zero()) == 0; }

  private:
    const Vector high_, low_, upper_;
    Vector differences_ = Lanes::zero();
};

template <typename Lanes>
inline bool shares_in_singles(const float* e, std::size_t size, double inverse, float* out) {
    const InverseInSingles factor(inverse);
    SharesInSingles<Lanes> shares(Lanes::set(factor.high), Lanes::set(factor.low), Lanes::set(factor.upper));
    if (size < Lanes::kCount) {
        Lanes::store_part(out, shares.of(Lanes::load(e)), size);
        return shares.are_right();
    }
    // Several a turn: where a loop of a few instructions lies decides whether it takes 10 or 16 cycles.
    constexpr std::size_t kTogether = 4;
    std::size_t j = 0;
    for (; j + kTogether * Lanes::kCount <= size; j += kTogether * Lanes::kCount) {
#pragma GCC unroll 4
        for (std::size_t k = 0; k < kTogether; ++k) {
            const std::size_t place = j + k * Lanes::kCount;
            Lanes::store(out + place, shares.of(Lanes::load(e + place)));
        }
    }
    const std::size_t last = size - Lanes::kCount;
    for (; j < size; j += Lanes::kCount) {
        const std::size_t place = j < last ? j : last;
        Lanes::store(out + place, shares.of(Lanes::load(e + place)));
    }
    return shares.are_right();
}

template <typename To, typename Lanes = S>
void share(const float* e, std::size_t size, double inverse, float lowest, unsigned char* out) {
    if constexpr (Lanes::kPicks && To::kBytes == Single::kBytes) {
        // The smallest share is beyond 2^-97.
        if (lowest > -32 && inverse > 0x1p-50 &&
            shares_in_singles<Lanes>(e, size, inverse, reinterpret_cast<float*>(out))) {
            return;
        }
    }
    const V factor = L::set(inverse);
    std::size_t j = 0;
    for (; j + kLanes <= size; j += kLanes) {
        To::store(out + j * To::kBytes, L::mul(L::load_single(e + j), factor));
    }
    if (j == size) return;
    const V rest = load_part<Single>(reinterpret_cast<const unsigned char*>(e + j), size - j);
    store_part<To>(out + j * To::kBytes, L::mul(rest, factor), size - j);
}

// Of a vector of columns.
template <typename Lanes>
inline bool column_shares_in_singles(const ColumnShares& task, std::size_t c) {
    float high[Lanes::kCount], low[Lanes::kCount], upper[Lanes::kCount];
    for (std::size_t k = 0; k < Lanes::kCount; ++k) {
        const InverseInSingles factor(task.inverses[c + k]);
        high[k] = factor.high;
        low[k] = factor.low;
        upper[k] = factor.upper;
    }
    SharesInSingles<Lanes> shares(Lanes::load(high), Lanes::load(low), Lanes::load(upper));
    unsigned char* out = task.out + c * Single::kBytes;
    for (std::size_t j = 0; j < task.size; ++j, out += task.out_bytes) {
        const auto power = Lanes::load(task.e + j * task.columns + c);
        Lanes::store(reinterpret_cast<float*>(out), shares.of(power));
    }
    return shares.are_right();
}

template <typename To, typename Lanes = S>
void column_shares(const ColumnShares& task) {
    const auto in_doubles = [&](std::size_t c, std::size_t end) {
        for (std::size_t j = 0; j < task.size; ++j) {
            const float* const e = task.e + j * task.columns;
            unsigned char* const out = task.out + static_cast<std::int64_t>(j) * task.out_bytes;
            for (std::size_t k = c; k < end; k += kLanes) {
                const V y = L::mul(L::load_single(e + k), L::load(task.inverses + k));
                if (end - k >= kLanes) {
                    To::store(out + k * To::kBytes, y);
                } else {
                    store_part<To>(out + k * To::kBytes, y, end - k);
                }
            }
        }
    };
    std::size_t c = 0;
    if constexpr (Lanes::kPicks && To::kBytes == Single::kBytes) {
        // Sums of so few powers have no inverse below 2^-50, of which share() has to think.
        for (; task.lowest > -32 && c + kSingles <= task.count; c += kSingles) {
            if (!column_shares_in_singles<Lanes>(task, c)) in_doubles(c, c + kSingles);
        }
    }
    in_doubles(c, task.count);
}
