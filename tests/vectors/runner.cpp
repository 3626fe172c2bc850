// Golden vectors against an implementation in C++: put yours in `fill`. Prints what differs.
//   c++ -O2 -std=c++17 -ffp-contract=off runner.cpp -o runner && ./runner sequence.accumulate.FLOAT32.json
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>
using Word = std::uint32_t;  // the bits of an element

// What is under test, here a loop of float additions: elements 0 to count - 1.
std::vector<Word> fill(Word start, Word delta, std::size_t count) {
    std::vector<Word> out(count);
    float value, step;
    std::memcpy(&value, &start, 4), std::memcpy(&step, &delta, 4);
    for (Word& bits : out) std::memcpy(&bits, &value, 4), value += step;
    return out;
}

bool is_nan(Word bits) { return (bits & 0x7FFFFFFF) > 0x7F800000; }

int main(int, char** words) {
    long equal = 0, wrong = 0, far = 0;
    std::ifstream file(words[1]);
    for (std::string line; std::getline(file, line);) {
        const char* at = std::strstr(line.c_str(), "\"start\": ");
        if (!at || !std::strstr(at, "\"runs\": [")) continue;
        const Word start = std::strtoul(at + 10, nullptr, 16);
        const Word delta = std::strtoul(std::strstr(at, "\"delta\": ") + 10, nullptr, 16);
        while ((at = std::strstr(at, "\"first\": "))) {
            std::uint64_t index = std::strtoull(at + 10, nullptr, 10);
            std::vector<Word> expected;
            char* end;
            for (at = std::strchr(at, '['); *at != ']'; at += *at == ',') {
                expected.push_back(std::strtoul(at + 2, &end, 16));
                at = end + 1;
            }
            if (index > 1000000 && (far += expected.size())) continue;
            const std::vector<Word> actual = fill(start, delta, index + expected.size());
            for (const Word bits : expected) {  // a NaN that an operation made may be any
                const bool same = actual[index] == bits || (is_nan(bits) && is_nan(actual[index]));
                if (!same) std::printf("%.60s: element %llu\n", line.c_str(), (unsigned long long)index);
                ++(same ? equal : wrong), ++index;
            }
        }
    }
    std::printf("%ld elements equal, %ld wrong, %ld too far for this implementation\n", equal, wrong, far);
    return wrong || !equal;
}
