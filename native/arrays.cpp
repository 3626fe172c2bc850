#include "arrays.h"

#include "buffer.h"

namespace indirectml {

namespace {

constexpr Format kDouble{64, 53};

// A float by its bits, or an integer.
struct Number {
    Format format;  // precision 0: an integer
    std::uint64_t bits;
};

std::optional<Number> number_of(double value) {
    Number number{kDouble, 0};
    std::memcpy(&number.bits, &value, sizeof(value));
    return number;
}

template <typename Element>
std::uint64_t load(const unsigned char* from) {
    Element element;
    std::memcpy(&element, from, sizeof(element));
    return element;
}

std::uint64_t load(const View& view) {
    switch (view.log2_bytes) {
        case 0:
            return load<std::uint8_t>(view.data);
        case 1:
            return load<std::uint16_t>(view.data);
        case 2:
            return load<std::uint32_t>(view.data);
        default:
            return load<std::uint64_t>(view.data);
    }
}

// The number in the memory of a NumPy scalar or an array without dimensions, but for integers of
// 2^63 and more.
std::optional<Number> number_in(const Buffer& buffer) {
    const auto type = buffer.element_type();
    if (!type) return std::nullopt;
    const View view = buffer.view(type->format);
    if (view.rank != 0) return std::nullopt;
    const std::uint64_t bits = load(view);
    if (type->format.is_float()) return Number{type->format, bits};
    const bool has_high_bit = type->format.is_negative(bits);
    if (has_high_bit && !type->is_signed && type->format.bits == 64) return std::nullopt;
    const bool extends = has_high_bit && type->is_signed;
    return Number{{64, 0}, extends ? bits | ~type->format.mask() : bits};
}

std::optional<Number> number_of(nb::handle value) {
    PyTypeObject* const type = Py_TYPE(value.ptr());
    if (type == &PyFloat_Type) return number_of(PyFloat_AsDouble(value.ptr()));
    if (type == &PyLong_Type) {
        int overflow = 0;
        const long long integer = PyLong_AsLongLongAndOverflow(value.ptr(), &overflow);
        if (overflow) return std::nullopt;
        return Number{{64, 0}, static_cast<std::uint64_t>(integer)};
    }
    if (!PyObject_CheckBuffer(value.ptr())) return std::nullopt;
    return number_in(Buffer(value, PyBUF_FULL_RO));
}

// The bits of an element that holds the number, by the rules of `exact_bits` in Python.
std::optional<std::uint64_t> exact_bits(nb::handle value, const ElementType& type, bool is_delta) {
    auto number = number_of(value);
    if (!number) return std::nullopt;
    const Format format = type.format;
    const auto integer = static_cast<std::int64_t>(number->bits);
    if (format.is_float()) {
        if (!number->format.is_float()) {
            constexpr std::int64_t exact = std::int64_t{1} << 53;
            if (integer < -exact || integer > exact) return std::nullopt;
            number = number_of(static_cast<double>(integer));
        }
        const std::uint64_t bits = convert(number->format, format, number->bits);
        const bool is_infinite = format.magnitude(bits) == format.infinity();
        const bool was_finite = number->format.is_finite(number->bits);
        if (is_infinite && was_finite) return std::nullopt;
        return bits;
    }
    if (number->format.is_float()) return std::nullopt;
    const bool may_be_negative = type.is_signed || is_delta;
    const int value_bits = format.bits - (type.is_signed ? 1 : 0);
    if (integer < 0 && !may_be_negative) return std::nullopt;
    if (value_bits < 63) {
        const std::int64_t end = std::int64_t{1} << value_bits;
        const std::int64_t lowest = type.is_signed ? -end : 1 - end;
        if (integer >= end || integer < lowest) return std::nullopt;
    }
    return number->bits & format.mask();
}

bool fill_array(nb::handle out, nb::handle start, nb::handle delta, bool multiply,
                const Policy& policy) {
    return with_buffer(out, [&](const Buffer& buffer) {
        const auto type = buffer.element_type();
        if (!type) return false;
        const auto start_bits = exact_bits(start, *type, false);
        if (!start_bits) return false;
        Sequence sequence{{type->format.bits, 0}, Rule::kAccumulate, *start_bits, 0};
        if (delta) {
            const auto delta_bits = exact_bits(delta, *type, true);
            if (!delta_bits) return false;
            const Rule rule = multiply ? Rule::kMultiply : Rule::kAccumulate;
            sequence = {type->format, rule, *start_bits, *delta_bits};
        }
        if (!buffer.is_contiguous() && !is_nested(buffer.view(type->format))) return false;
        fill_buffer(buffer, sequence, 0, policy);
        return true;
    });
}

}  // namespace

bool fill_array_with_constant(nb::handle out, nb::handle value, const Policy& policy) {
    return fill_array(out, value, nb::handle(), false, policy);
}

bool fill_array_with_sequence(nb::handle out, nb::handle start, nb::handle delta, bool multiply,
                              const Policy& policy) {
    return fill_array(out, start, delta, multiply, policy);
}

}  // namespace indirectml
