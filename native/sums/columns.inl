// Sums of columns, by rule S16: rows are the elements of each. Included by sums.inl.

// Neighbouring columns: several vectors of them, so that where a row is has to be looked up once. No
// array, which GCC 12 keeps in memory here.
template <std::size_t kCount>
struct Columns {
    Columns<kCount / 2> low, high;
};
template <>
struct Columns<1> {
    V vector;
};
template <typename Of, typename... Others>
inline Columns<1> each(const Of& of, const Columns<1>& x, const Others&... others) {
    return {of(x.vector, others.vector...)};
}
template <std::size_t kCount, typename Of, typename... Others>
inline Columns<kCount> each(const Of& of, const Columns<kCount>& x, const Others&... others) {
    return {each(of, x.low, others.low...), each(of, x.high, others.high...)};
}
template <std::size_t kCount>
inline Columns<kCount> set_columns(double value) {
    if constexpr (kCount == 1) {
        return {L::set(value)};
    } else {
        return {set_columns<kCount / 2>(value), set_columns<kCount / 2>(value)};
    }
}
template <std::size_t kCount>
inline Columns<kCount> sum_of(const Columns<kCount>& a, const Columns<kCount>& b) {
    return each([](V x, V y) { return L::add(x, y); }, a, b);
}
template <std::size_t kCount>
inline Columns<kCount> totals_of(const Columns<kCount>& sums) {
    return each([](V sum) { return total_of(sum); }, sums);
}

// Where they are in memory: whole vectors, or less than one.
template <std::size_t kVectorCount>
struct Whole {
    static constexpr std::size_t kCount = kVectorCount;
    template <typename E>
    Columns<kCount> load(const unsigned char* at) const {
        if constexpr (kCount == 1) {
            return {E::load(at)};
        } else {
            const Whole<kCount / 2> half;
            return {half.template load<E>(at),
                    half.template load<E>(at + kCount / 2 * kLanes * E::kBytes)};
        }
    }
    void store(double* at, const Columns<kCount>& numbers) const {
        if constexpr (kCount == 1) {
            L::store(at, numbers.vector);
        } else {
            const Whole<kCount / 2> half;
            half.store(at, numbers.low);
            half.store(at + kCount / 2 * kLanes, numbers.high);
        }
    }
};
struct Part {
    static constexpr std::size_t kCount = 1;
    std::size_t columns;
    template <typename E>
    Columns<1> load(const unsigned char* at) const {
        return {load_part<E>(at, columns)};
    }
    void store(double* at, const Columns<1>& numbers) const {
        store_part<Double>(reinterpret_cast<unsigned char*>(at), numbers.vector, columns);
    }
};
template <typename Access>
inline Columns<Access::kCount> load_numbers(const Access& access, const double* at) {
    return access.template load<Double>(reinterpret_cast<const unsigned char*>(at));
}

// Runs work(access, first column) for all of them.
template <typename Work>
inline void for_columns(std::size_t columns, const Work& work) {
    constexpr std::size_t kSeveral = L::kColumns * kLanes;
    std::size_t c = 0;
    for (; c + kSeveral <= columns; c += kSeveral) work(Whole<L::kColumns>{}, c);
    for (; c + kLanes <= columns; c += kLanes) work(Whole<1>{}, c);
    if (c < columns) work(Part{columns - c}, c);
}

// Sums of columns from column c on.
template <typename E, typename M, typename Access>
class ColumnSums {
  public:
    using Numbers = Columns<Access::kCount>;

    ColumnSums(const Access& access, const unsigned char* const* rows, std::size_t count,
               std::size_t c, const double* means)
        : access_(access), rows_(rows), count_(count), c_(c), one_(L::opaque(L::set(1))) {
        minus_means_ = set_columns<Access::kCount>(-0.0);
        if (means) minus_means_ = each(negative, load_numbers(access, means + c));
    }
    static Numbers zeros() { return set_columns<Access::kCount>(0); }

    // Rows r, r + 16, ... added to a sum.
    Numbers added(Numbers sum, std::size_t r) const {
        const V one = one_;
        for (; r < count_; r += 16) {
            sum = each([one](V s, V x) { return M::added(s, x, one); }, sum, mapped_row(r));
        }
        return sum;
    }
    // The tree of sums first, first + kStep, ...
    template <std::size_t kStep>
    Numbers tree_of(std::size_t first) const {
        return tree<kStep>(first, [&](std::size_t i) {
            return i < count_ ? added(mapped_row(i), i + 16) : zeros();
        });
    }

  private:
    Numbers mapped_row(std::size_t r) const {
        const V one = one_;
        return each([one](V x, V minus_mean) { return mapped<M>(x, minus_mean, one); },
                    access_.template load<E>(rows_[r] + c_ * E::kBytes), minus_means_);
    }

    const Access access_;
    const unsigned char* const* const rows_;
    const std::size_t count_, c_;
    const V one_;
    Numbers minus_means_;
};

template <typename E, typename M>
void add_columns(const unsigned char* const* rows, std::size_t count, std::size_t columns,
                 const double* means, double* sums, std::size_t spacing, bool is_first) {
    for (std::size_t i = 0; i < 16; ++i, sums += spacing) {
        for_columns(columns, [&](auto access, std::size_t c) {
            const ColumnSums<E, M, decltype(access)> all(access, rows, count, c, means);
            const auto before = is_first ? all.zeros() : load_numbers(access, sums + c);
            access.store(sums + c, all.added(before, i));
        });
    }
}

void column_totals(const double* sums, std::size_t spacing, std::size_t columns, double* out) {
    for_columns(columns, [&](auto access, std::size_t c) {
        const auto leaf = [&](std::size_t i) {
            return load_numbers(access, sums + i * spacing + c);
        };
        access.store(out + c, totals_of(tree<1>(0, leaf)));
    });
}

// A few of the sixteen sums at a time, first, first + kStep, ... of them: rows are often so far apart
// that they share the places of one cache, which holds eight of them.
template <std::size_t kStep, typename E, typename M>
inline void sum_in_parts(const unsigned char* const* rows, std::size_t count, std::size_t columns,
                         const double* means, double* between, std::size_t spacing, double* out) {
    for (std::size_t part = 0; part < kStep; ++part) {
        std::size_t first = 0;  // the bits of `part` in reverse
        for (std::size_t bit = 1; bit < kStep; bit *= 2) first = 2 * first + (part & bit ? 1 : 0);
        for_columns(columns, [&](auto access, std::size_t c) {
            const ColumnSums<E, M, decltype(access)> all(access, rows, count, c, means);
            auto sum = all.template tree_of<kStep>(first);
            // Parts that a tree adds wait for each other, as the bits of a number do that counts up.
            double* waiting = between + c;
            for (std::size_t done = part; done & 1; done /= 2, waiting += spacing) {
                sum = sum_of(load_numbers(access, waiting), sum);
            }
            if (part + 1 < kStep) {
                access.store(waiting, sum);
            } else {
                access.store(out + c, totals_of(sum));
            }
        });
    }
}

template <typename E, typename M>
void sum_few_rows(const unsigned char* const* rows, std::size_t count, std::size_t columns,
                  const double* means, double* between, std::size_t spacing, double* out) {
    if (count <= 32) {
        sum_in_parts<4, E, M>(rows, count, columns, means, between, spacing, out);
    } else {
        sum_in_parts<8, E, M>(rows, count, columns, means, between, spacing, out);
    }
}
