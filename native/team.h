// Threads that live as long as one call: a process may fork between calls, and nothing has to be
// shut down.
#pragma once

#include <atomic>
#include <system_error>
#include <thread>
#include <vector>

#include "float_modes.h"

namespace indirectml {

// Runs work(0) .. work(parts - 1), each once, in the processor's default modes. Where the system
// gives no further thread, this one does the work.
template <typename Work>
void run_team(unsigned parts, const Work& work) {
    const auto member = [&](unsigned part) {
        const DefaultFloatModes modes;
        work(part);
    };
    if (parts <= 1) return member(0);
    std::vector<std::thread> threads;
    threads.reserve(parts - 1);
    unsigned started = 1;
    try {
        for (; started < parts; ++started) threads.emplace_back(member, started);
    } catch (const std::system_error&) {
        for (unsigned part = started; part < parts; ++part) member(part);
    }
    member(0);
    for (std::thread& thread : threads) thread.join();
}

}  // namespace indirectml
