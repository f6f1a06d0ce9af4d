#pragma once
// Undo and redo of a value. Commits of one gesture (a drag, a note being typed) are one step.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace core {

// The gesture that a commit belongs to. Each kind numbers its own; number 0 always makes a new step.
struct Gesture {
    enum class Kind : std::uint8_t { Filter, View, Note, WhatIf };
    Kind kind = Kind::Filter;
    std::uint64_t number = 0;
    bool operator==(const Gesture&) const = default;
};

template <class T>
class History {
public:
    static constexpr std::size_t kMost = 1000;  // older values are dropped
    explicit History(T first) : values_{std::move(first)} {}

    const T& current() const { return values_[at_]; }
    // Number of commits so far.
    std::uint64_t commits() const { return commits_; }
    void commit(T value, Gesture gesture = {}) {
        if (value == current()) return;
        ++commits_;
        values_.resize(at_ + 1);
        if (gesture.number != 0 && gesture == gesture_) {
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
    // Replaces the current value without adding a step. Clears what could be redone.
    void replace(T value) {
        values_.resize(at_ + 1);
        values_.back() = std::move(value);
        gesture_ = {};
    }
    // Rewrites the current value in place; keeps undo and redo.
    void amend(T value) { values_[at_] = std::move(value); }
    // Walks back from the current value; drops the first value for which `too_old` is true, and all older ones.
    template <class TooOld>
    void forget_from(TooOld too_old) {
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
        gesture_ = {};
    }
    void redo() {
        if (can_redo()) ++at_;
        gesture_ = {};
    }

private:
    std::vector<T> values_;
    std::size_t at_ = 0;
    Gesture gesture_;
    std::uint64_t commits_ = 0;
};

}  // namespace core
