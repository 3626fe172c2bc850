// Memory of other Python objects, opened by the buffer protocol, and what its elements are.
#pragma once

#include <nanobind/nanobind.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "fill.h"
#include "released.h"

namespace indirectml {

namespace nb = nanobind;

using IntTuple = nb::typed<nb::tuple, int, nb::ellipsis>;

inline IntTuple as_tuple(const Py_ssize_t* numbers, int count) {
    auto tuple = nb::steal<nb::tuple>(PyTuple_New(count));
    for (int k = 0; k < count; ++k) {
        PyTuple_SetItem(tuple.ptr(), k, PyLong_FromSsize_t(numbers[k]));
    }
    return tuple;
}

// A number in memory, in this machine's byte order.
struct ElementType {
    Format format;
    bool is_signed;
};

// What a format string of the buffer protocol stands for (Python's module `struct`); nothing for
// what fills do not write: booleans, characters, other byte orders, records.
inline std::optional<ElementType> element_type_of(const char* format, Py_ssize_t item_bytes) {
    const std::uint16_t one = 1;
    unsigned char lowest;
    std::memcpy(&lowest, &one, 1);
    const char own_order = lowest ? '<' : '>';
    if (*format == '@' || *format == '=' || *format == own_order) ++format;
    if (format[0] == 0 || format[1] != 0) return std::nullopt;
    const int bits = static_cast<int>(8 * item_bytes);
    switch (format[0]) {
        case 'e':
            return ElementType{{bits, 11}, true};
        case 'f':
            return ElementType{{bits, 24}, true};
        case 'd':
            return ElementType{{bits, 53}, true};
        default:
            break;
    }
    if (!std::strchr("bBhHiIlLqQnN", format[0])) return std::nullopt;
    return ElementType{{bits, 0}, format[0] >= 'a'};
}

// A buffer of another object, held for as long as this exists; writable unless asked for otherwise.
class Buffer {
  public:
    explicit Buffer(nb::handle owner, int flags = PyBUF_RECORDS) {
        if (PyObject_GetBuffer(owner.ptr(), &buffer_, flags) != 0) throw nb::python_error();
        if (buffer_.ndim > kMaxRank) {
            PyBuffer_Release(&buffer_);
            throw nb::value_error("more dimensions than NumPy's 64");
        }
        // ctypes leaves strides out even where they are asked for: then the elements are packed.
        Py_ssize_t packed = buffer_.itemsize;
        for (int k = buffer_.ndim - 1; k >= 0; --k) {
            axes_[k] = {static_cast<std::uint64_t>(buffer_.shape[k]),
                        buffer_.strides ? buffer_.strides[k] : packed};
            packed *= buffer_.shape[k];
        }
    }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    ~Buffer() { PyBuffer_Release(&buffer_); }

    std::string format() const { return buffer_.format ? buffer_.format : "B"; }
    // What an element is, if fills can write it.
    std::optional<ElementType> element_type() const {
        return element_type_of(buffer_.format ? buffer_.format : "B", buffer_.itemsize);
    }
    Py_ssize_t item_bytes() const { return buffer_.itemsize; }
    IntTuple sizes() const { return as_tuple(buffer_.shape, buffer_.ndim); }
    IntTuple strides_bytes() const {
        Py_ssize_t strides[kMaxRank];
        for (int k = 0; k < buffer_.ndim; ++k) strides[k] = axes_[k].stride_bytes;
        return as_tuple(strides, buffer_.ndim);
    }
    Py_ssize_t element_count() const {
        return buffer_.itemsize ? buffer_.len / buffer_.itemsize : 0;
    }
    bool is_packed(const std::string& format, const std::vector<Py_ssize_t>& sizes) const {
        const auto rank = static_cast<std::size_t>(buffer_.ndim);
        return buffer_.format && format == buffer_.format && sizes.size() == rank &&
               std::equal(sizes.begin(), sizes.end(), buffer_.shape) && is_contiguous();
    }
    bool is_contiguous() const { return PyBuffer_IsContiguous(&buffer_, 'C') != 0; }
    Py_ssize_t size_bytes() const { return buffer_.len; }

    View view(const Format& format) const {
        int log2_bytes = 0;
        while ((8 << log2_bytes) < format.bits) ++log2_bytes;
        return {static_cast<unsigned char*>(buffer_.buf), log2_bytes, buffer_.ndim, axes_};
    }

  private:
    Py_buffer buffer_;
    Axis axes_[kMaxRank];
};

// Below this, giving up the interpreter lock costs more than the fill.
constexpr Py_ssize_t kReleaseBytes = 1 << 16;

// The kernels take these for granted; nothing of the package breaks them.
inline void check_format(const Format& format) {
    const bool is_integer = format.precision == 0 && format.bits >= 1 && format.bits <= 64;
    const bool is_float = format.precision >= 2 && format.precision <= 53 &&
                          format.exponent_bits() >= 2 && format.exponent_bits() <= 11;
    if (!is_integer && !is_float) throw nb::value_error("no format of at most 64 bits");
}

inline void check_elements(const Buffer& buffer, const Sequence& sequence) {
    Py_ssize_t bytes = 1;
    while (8 * bytes < sequence.format.bits) bytes *= 2;
    if (bytes != buffer.item_bytes()) throw nb::value_error("elements of another width");
}

inline void fill_buffer(const Buffer& buffer, const Sequence& sequence, std::uint64_t first,
                        const Policy& policy) {
    const View view = buffer.view(sequence.format);
    if (buffer.size_bytes() < kReleaseBytes) return fill(view, sequence, first, policy);
    const Released released;
    fill(view, sequence, first, policy);
}

// work(buffer) on the opened buffer of `out`; false where it gives none, or one that cannot be
// written or has too many dimensions: Python finds out why.
template <typename Work>
bool with_buffer(nb::handle out, const Work& work) {
    if (!PyObject_CheckBuffer(out.ptr())) return false;
    try {
        return work(Buffer(out));
    } catch (nb::python_error&) {
        return false;
    } catch (nb::builtin_exception&) {
        return false;
    }
}

}  // namespace indirectml
