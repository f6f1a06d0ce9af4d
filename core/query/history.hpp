#pragma once
// Undo and redo of a value. Commits of one gesture (a drag) are one step; gesture 0 always makes a new one.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace core {

template <class T>
class History {
public:
    static constexpr std::size_t kMost = 1000;  // the oldest are forgotten
    explicit History(T first) : values_{std::move(first)} {}

    const T& current() const { return values_[at_]; }
    // Grows with every value that is committed.
    std::uint64_t commits() const { return commits_; }
    void commit(T value, std::uint64_t gesture = 0) {
        if (value == current()) return;
        ++commits_;
        values_.resize(at_ + 1);
        if (gesture != 0 && gesture == gesture_) {
            values_.back() = std::move(value);
        } else {
            values_.push_back(std::move(value));
            ++at_;
            if (values_.size() > kMost) {
                values_.erase(values_.begin());
                --at_;
            }
        }
        gesture_ = gesture;
    }
    // Instead of the current value; no step of its own. What could be redone is gone.
    void replace(T value) {
        values_.resize(at_ + 1);
        values_.back() = std::move(value);
        gesture_ = 0;
    }
    // The same place said otherwise: what can be undone and redone stays.
    void amend(T value) { values_[at_] = std::move(value); }
    // From the current value back to the oldest: the first for which `too_old` says so is forgotten with all before it.
    template <class TooOld>
    void forget_from(const TooOld& too_old) {
        std::size_t first = at_ + 1;
        while (first > 0 && !too_old(values_[first - 1])) --first;
        first = std::min(first, at_);
        values_.erase(values_.begin(), values_.begin() + static_cast<std::ptrdiff_t>(first));
        at_ -= first;
    }
    bool can_undo() const { return at_ > 0; }
    bool can_redo() const { return at_ + 1 < values_.size(); }
    void undo() {
        if (can_undo()) --at_;
        gesture_ = 0;
    }
    void redo() {
        if (can_redo()) ++at_;
        gesture_ = 0;
    }

private:
    std::vector<T> values_;
    std::size_t at_ = 0;
    std::uint64_t gesture_ = 0;
    std::uint64_t commits_ = 0;
};

}  // namespace core
