// Steps of a plan that the native code carries out by itself, one after the other, over the plan's numbered
// buffers of bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "fill.h"
#include "team.h"

namespace indirectml {

// What a step needs of a buffer: bytes 0 .. end - 1.
struct Reach {
    std::size_t buffer;
    std::int64_t end;
    bool is_written;
};

// What rows of a step read or write: row i so many bytes from data + i * stride on. Where the stride
// is 0, each reads all of it.
struct Rows {
    const unsigned char* data;
    std::ptrdiff_t stride;
    std::size_t bytes;
    bool is_written;
};

// Rows of a step, again and again, on one thread: what each of them needs is found once.
class RowRunner {
  public:
    RowRunner() = default;
    RowRunner(const RowRunner&) = delete;
    RowRunner& operator=(const RowRunner&) = delete;
    virtual ~RowRunner() = default;
    virtual void run(Share rows) = 0;
};

class Step {
  public:
    Step() = default;
    Step& operator=(const Step&) = delete;
    virtual ~Step() = default;
    // The same step, with what each call would make of buffers that stay what they are; others are null. Null
    // where that is nothing.
    virtual std::unique_ptr<const Step> with_constants(unsigned char* const*) const { return nullptr; }
    // False, and nothing has happened, where memory is not as kernels take it. `next` is what a later
    // step reads first, or null.
    virtual bool run(unsigned char* const* memories, const void* next,
                     const Policy& policy) const = 0;
    // Constants that it reads first, from there on; or null.
    virtual const void* first_constants(unsigned char* const*) const { return nullptr; }

    // Of how many rows the result is, each computed by itself; 0 where it has none.
    virtual std::uint64_t rows() const { return 0; }
    // Whether it may run by so many rows, which touch these, and then runs some of them, on one thread.
    virtual bool cut(unsigned char* const*, std::uint64_t, std::vector<Rows>&) const {
        return false;
    }
    virtual void run_rows(unsigned char* const*, const void*, const Policy&, std::uint64_t,
                          Share) const {}

    // The same of strips of rows; or null.
    virtual std::unique_ptr<RowRunner> row_runner(unsigned char* const*, const Policy&,
                                                  std::uint64_t) const {
        return nullptr;
    }

    // Of how many rows the result is, where it is made in strips of these; else 0.
    virtual std::uint64_t strip_rows(unsigned char* const*) const { return 0; }
    // What it touches, by these rows.
    virtual std::vector<Rows> strip_touches(unsigned char* const*) const { return {}; }
    // As `run`, and after(rows) for each strip, by the thread that has completed it.
    virtual void run_strips(unsigned char* const*, const Policy&,
                            const std::function<void(Share)>&) const {}

    std::vector<Reach> reaches;
    double nanoseconds = 0;  // that it takes one thread, roughly

  protected:
    Step(const Step&) = default;
};

// Carries out steps from number `first` on. Returns the number of the first that could not be, or how
// many there are.
std::size_t run_steps(const std::vector<const Step*>& steps, std::size_t first,
                      unsigned char* const* memories, const Policy& policy);

}  // namespace indirectml
