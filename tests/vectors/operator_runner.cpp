// Golden vectors of operators against an implementation in C++: put yours in `run`.
//   c++ -O2 -std=c++17 -ffp-contract=off runner.cpp -o runner && ./runner indirectml-vectors ACTIVATION_RELU ELEMENT_WISE_ADD
// Prints, for each operator, how many cases are equal, within their bound, beyond it, and left out.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

// A value of JSON: text of a string or a number, "null", "true"; parts of a list; members of an object.
struct Json {
    std::string text;
    std::vector<Json> parts;
    std::map<std::string, Json> members;

    const Json& operator[](const std::string& name) const { return members.at(name); }
    bool has(const std::string& name) const { return members.count(name) && members.at(name).text != "null"; }
};

// A tensor as in the .npz file: elements in row-major order, without gaps; empty where an input is left out.
struct Tensor {
    char kind = 0;  // 'f', 'i' or 'u'
    std::size_t item_bytes = 0;
    std::vector<std::size_t> sizes;
    std::string bytes;
};

// ---- what is under test ----

// Fills outputs, whose types and sizes are there; returns false for a case that it does not take. This one
// takes FLOAT32 of two operators. Strides say where elements lie in memory, which nothing here asks for.
bool run(const std::string& operator_name, const Json& desc, const std::vector<Tensor>& inputs,
         std::vector<Tensor>& outputs) {
    if (desc.has("FusedActivation") || desc.has("ScaleBias") || inputs[0].kind != 'f' || inputs[0].item_bytes != 4)
        return false;
    for (std::size_t at = 0; at < outputs[0].bytes.size(); at += 4) {
        float a, b;
        std::memcpy(&a, &inputs[0].bytes[at], 4);
        if (operator_name == "DML_OPERATOR_ACTIVATION_RELU") {
            a = a > 0 || std::isnan(a) ? a : 0.0f;
        } else if (operator_name == "DML_OPERATOR_ELEMENT_WISE_ADD") {
            std::memcpy(&b, &inputs[1].bytes[at], 4);
            a = a + b;
        } else {
            return false;
        }
        std::memcpy(&outputs[0].bytes[at], &a, 4);
    }
    return true;
}

// ---- the files ----

std::string contents(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw std::runtime_error(path + ": cannot be read");
    return {std::istreambuf_iterator<char>(file), {}};
}

// JSON in ASCII without escapes in strings, as the files of vectors are.
Json parse(const char*& at) {
    Json value;
    const auto skip = [&at] { at += std::strspn(at, " \n,:"); };
    skip();
    if (*at == '"') {
        const char* end = std::strchr(++at, '"');
        value.text.assign(at, end);
        at = end + 1;
    } else if (*at == '[') {
        for (++at, skip(); *at != ']'; skip()) value.parts.push_back(parse(at));
        ++at;
    } else if (*at == '{') {
        for (++at, skip(); *at != '}'; skip()) {
            const std::string name = parse(at).text;
            value.members[name] = parse(at);
        }
        ++at;
    } else {
        const std::size_t length = std::strcspn(at, " \n,:]}");
        if (length == 0) throw std::runtime_error("no JSON of vectors");
        value.text.assign(at, length);
        at += length;
    }
    return value;
}

std::uint32_t little_endian(const std::string& bytes, std::size_t at, int count) {
    std::uint32_t value = 0;
    while (count-- > 0) value = value << 8 | static_cast<unsigned char>(bytes.at(at + count));
    return value;
}

Tensor tensor_of_npy(const std::string& bytes) {
    const std::size_t begin = 10 + little_endian(bytes, 8, 2);
    const std::string header = bytes.substr(10, begin - 10);
    const std::size_t type = header.find("'descr': '") + 11;  // behind the order of bytes
    Tensor tensor{header.at(type), static_cast<std::size_t>(header.at(type + 1) - '0'), {}, bytes.substr(begin)};
    for (const char* at = std::strchr(&header[header.find("'shape'")], '(') + 1; *at != ')'; at += *at == ',' || *at == ' ')
        if (*at >= '0' && *at <= '9') tensor.sizes.push_back(std::strtoull(at, const_cast<char**>(&at), 10));
    return tensor;
}

// The members of a .npz file, which is a zip file of files that are stored as they are.
std::map<std::string, Tensor> tensors_of(const std::string& npz) {
    std::map<std::string, Tensor> found;
    for (std::size_t at = 0; little_endian(npz, at, 4) == 0x04034B50;) {
        if (little_endian(npz, at + 8, 2) != 0) throw std::runtime_error("a compressed .npz file");
        const std::size_t size = little_endian(npz, at + 22, 4), name = little_endian(npz, at + 26, 2);
        const std::size_t begin = at + 30 + name + little_endian(npz, at + 28, 2);
        found[npz.substr(at + 30, name - 4)] = tensor_of_npy(npz.substr(begin, size));  // without ".npy"
        at = begin + size;
    }
    return found;
}

// ---- the comparison ----

double half(std::uint16_t bits) {
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    double value = exponent ? std::ldexp(1024 + fraction, exponent - 25) : std::ldexp(fraction, -24);
    if (exponent == 31) value = fraction ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity();
    return bits >> 15 ? -value : value;
}

template <typename T>
double read(const std::string& bytes, std::size_t at) {
    T value;
    std::memcpy(&value, &bytes[at], sizeof(T));
    return static_cast<double>(value);
}

double number(const Tensor& t, std::size_t at) {
    const bool is_signed = t.kind == 'i';
    switch (t.item_bytes) {
        case 1: return is_signed ? read<std::int8_t>(t.bytes, at) : read<std::uint8_t>(t.bytes, at);
        case 2:
            if (t.kind == 'f') return half(static_cast<std::uint16_t>(read<std::uint16_t>(t.bytes, at)));
            return is_signed ? read<std::int16_t>(t.bytes, at) : read<std::uint16_t>(t.bytes, at);
        case 4:
            if (t.kind == 'f') return read<float>(t.bytes, at);
            return is_signed ? read<std::int32_t>(t.bytes, at) : read<std::uint32_t>(t.bytes, at);
        default:
            if (t.kind == 'f') return read<double>(t.bytes, at);
            return is_signed ? read<std::int64_t>(t.bytes, at) : read<std::uint64_t>(t.bytes, at);
    }
}

// How far a tensor is from the expected one: 0 for equal bits; of integers the largest difference, of floats that
// in ULP of the largest finite element that is expected. Any NaN is like any other, unless bits are kept.
double distance(const Tensor& actual, const Tensor& expected, bool keeps_bits) {
    constexpr double kFar = std::numeric_limits<double>::infinity();
    if (actual.bytes == expected.bytes) return 0;
    const bool is_float = expected.kind == 'f';
    if (actual.bytes.size() != expected.bytes.size() || (is_float && keeps_bits)) return kFar;
    double largest = 0, apart = 0;
    for (std::size_t at = 0; at < expected.bytes.size(); at += expected.item_bytes) {
        const double a = number(actual, at), e = number(expected, at);
        if (std::isfinite(e)) largest = std::max(largest, std::fabs(e));
        if (a == e || (std::isnan(a) && std::isnan(e))) continue;
        apart = std::isfinite(a) && std::isfinite(e) ? std::max(apart, std::fabs(a - e)) : kFar;
    }
    if (!is_float) return std::max(apart, 1.0);  // FLOAT64 may not tell neighbours of 64 bits apart
    const int digits = expected.item_bytes == 2 ? 11 : expected.item_bytes == 4 ? 24 : 53;
    const int least = expected.item_bytes == 2 ? -24 : expected.item_bytes == 4 ? -149 : -1074;
    int exponent = 0;
    std::frexp(largest, &exponent);
    return apart / std::ldexp(1.0, largest == 0 ? least : std::max(exponent - digits, least));
}

// Returns how many cases are beyond their bound, and adds how many were compared.
long compared_with(const std::string& folder, const std::string& name, long& compared) {
    const std::string text = contents(folder + "/" + name + ".json");
    const char* at = text.c_str();
    const Json vectors = parse(at);
    const auto tensors = tensors_of(contents(folder + "/" + name + ".npz"));
    const double bound = std::strtod(vectors["bound"].text.c_str(), nullptr);
    long equal = 0, within = 0, beyond = 0, left_out = 0;
    for (const Json& one : vectors["cases"].parts) {
        std::vector<Tensor> inputs, outputs;
        for (const Json& key : one["inputs"].parts) inputs.push_back(key.text == "null" ? Tensor{} : tensors.at(key.text));
        for (const Json& key : one["outputs"].parts) {
            outputs.push_back(tensors.at(key.text));
            outputs.back().bytes.assign(outputs.back().bytes.size(), '\x5A');
        }
        if (!run(vectors["operator"].text, one["desc"], inputs, outputs)) {
            ++left_out;
            continue;
        }
        double far = 0;
        for (std::size_t i = 0; i < outputs.size(); ++i)
            far = std::max(far, distance(outputs[i], tensors.at(one["outputs"].parts[i].text), vectors["keeps_bits"].text == "true"));
        const bool is_within = far <= (one["numbers"].text == "normal" ? bound : 0);
        ++(far == 0 ? equal : is_within ? within : beyond);
        if (!is_within) std::printf("%s: case %s is off by %g\n", name.c_str(), one["number"].text.c_str(), far);
    }
    std::printf("%s: %ld equal, %ld within the bound, %ld beyond it, %ld left out\n", name.c_str(), equal, within, beyond, left_out);
    compared += equal + within + beyond;
    return beyond;
}

int main(int count, char** words) try {
    if (count < 3) {
        std::fprintf(stderr, "usage: %s FOLDER OPERATOR...\n", words[0]);
        return 2;
    }
    long compared = 0, beyond = 0;
    for (int i = 2; i < count; ++i) beyond += compared_with(words[1], words[i], compared);
    std::printf("%ld cases compared, %ld beyond their bounds\n", compared, beyond);
    return beyond != 0 || compared == 0;
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", words[0], error.what());
    return 3;
}
