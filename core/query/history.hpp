#pragma once
// Undo and redo of a value. Commits of one gesture (a drag) are one step; gesture 0 always makes a new one.

#include <cstdint>
#include <utility>
#include <vector>

namespace core {

template <class T>
class History {
public:
    explicit History(T first) : values_{std::move(first)} {}

    const T& current() const { return values_[at_]; }
    void commit(T value, std::uint64_t gesture = 0) {
        if (value == current()) return;
        values_.resize(at_ + 1);
        if (gesture != 0 && gesture == gesture_) {
            values_.back() = std::move(value);
        } else {
            values_.push_back(std::move(value));
            ++at_;
        }
        gesture_ = gesture;
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
};

}  // namespace core
