#pragma once
// An immutable array of values, owned or borrowed from memory that is kept alive (a mapped file).

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace core {

template <class T>
class Values {
public:
    Values() = default;
    explicit Values(std::vector<T> own) : own_(std::move(own)) {
        own_.shrink_to_fit();
        all_ = own_;
    }
    static Values lent(std::span<const T> values) {
        Values lent;
        lent.all_ = values;
        return lent;
    }
    ~Values() = default;
    Values(const Values& other) : own_(other.own_), all_(other.own_.empty() ? other.all_ : std::span<const T>(own_)) {}
    Values(Values&& other) noexcept : own_(std::move(other.own_)), all_(std::exchange(other.all_, {})) {}
    Values& operator=(Values other) noexcept {
        std::swap(own_, other.own_);
        std::swap(all_, other.all_);
        return *this;
    }

    std::span<const T> all() const { return all_; }
    std::size_t size() const { return all_.size(); }
    bool empty() const { return all_.empty(); }
    const T* data() const { return all_.data(); }
    auto begin() const { return all_.begin(); }
    auto end() const { return all_.end(); }
    const T& operator[](std::size_t i) const { return all_[i]; }
    const T& front() const { return all_.front(); }
    const T& back() const { return all_.back(); }
    std::size_t size_bytes() const { return all_.size_bytes(); }

private:
    std::vector<T> own_;
    std::span<const T> all_;
};

}  // namespace core
