// What the counting programs share: marks that a tool can see, which are calls of getppid, and how
// often memory was allocated between them.
//
//     valgrind --tool=callgrind --dump-before=getppid PROGRAM
//
// The tool writes one file for what is between two marks: first what leads to a piece of work, then
// the work, and so on. Each piece has a line on the standard output: its name, the number of its
// units, and how often it allocated memory. tests/counting.py reads both.
#pragma once

#include <unistd.h>

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>

// Replacements: this header belongs into one file of a program.
static std::uint64_t g_allocations = 0;

void* operator new(std::size_t size) {
    ++g_allocations;
    if (void* memory = std::malloc(size + 1)) return memory;
    throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace indirectml {

template <typename Work>
void count(const std::string& name, std::size_t units, const Work& work) {
    work();  // what is done once in a process has been done
    const std::uint64_t before = g_allocations;
    getppid();
    work();
    getppid();
    std::printf("%s\t%zu\t%" PRIu64 "\n", name.c_str(), units, g_allocations - before);
}

}  // namespace indirectml
