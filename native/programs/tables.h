// Tables that live as long as one run: of small programs, asking the system for each would take as
// long as what is computed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <vector>

namespace indirectml {
namespace programs {

// Elements in memory that somebody else keeps.
template <typename T>
class Table {
  public:
    Table() = default;
    Table(T* data, std::size_t size) : data_(data), size_(size) {}

    T& operator[](std::size_t n) const { return data_[n]; }
    T* data() const { return data_; }
    T* begin() const { return data_; }
    T* end() const { return data_ + size_; }
    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }

  private:
    T* data_ = nullptr;
    std::size_t size_ = 0;
};

// A table that is filled one after the other, up to the size that was asked for.
template <typename T>
class List {
  public:
    List() = default;
    explicit List(Table<T> room) : room_(room) {}

    void push_back(const T& value) { room_[size_++] = value; }
    T& operator[](std::size_t n) const { return room_[n]; }
    T* data() const { return room_.data(); }
    T* begin() const { return room_.begin(); }
    T* end() const { return room_.begin() + size_; }
    std::size_t size() const { return size_; }

  private:
    Table<T> room_;
    std::size_t size_ = 0;
};

// Memory for tables, all of which goes at once.
class Arena {
  public:
    Arena() = default;
    Arena(const Arena&) = delete;
    Arena& operator=(const Arena&) = delete;

    template <typename T>
    Table<T> table(std::size_t size, const T& value = T()) {
        static_assert(std::is_trivially_destructible<T>::value, "nothing is destroyed");
        static_assert(alignof(T) <= kUnit, "memory is of such units");
        auto* const data = static_cast<T*>(take(size * sizeof(T)));
        std::uninitialized_fill_n(data, size, value);
        return {data, size};
    }

    template <typename T>
    List<T> list(std::size_t most) {
        return List<T>(table<T>(most));
    }

  private:
    void* take(std::size_t bytes) {
        bytes = (bytes + kUnit - 1) / kUnit * kUnit;
        if (bytes > left_) {
            left_ = std::max(bytes, sizeof(first_));
            more_.emplace_back(new unsigned char[left_]);
            at_ = more_.back().get();
        }
        void* const taken = at_;
        at_ += bytes;
        left_ -= bytes;
        return taken;
    }

    static constexpr std::size_t kUnit = alignof(std::max_align_t);
    alignas(kUnit) unsigned char first_[4 << 10];
    unsigned char* at_ = first_;
    std::size_t left_ = sizeof(first_);
    std::vector<std::unique_ptr<unsigned char[]>> more_;
};

}  // namespace programs
}  // namespace indirectml
