#pragma once
// A value, or an Error that says what failed and where.
//
// Result is for failures a user can cause (a broken file, a cancelled job). Broken invariants of
// our own are assertions. Names follow std::expected, so Result can become an alias for it later.

#include <cassert>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace core {

enum class ErrorCode { BadInput, NotFound, Io, Cancelled, Internal };

struct Error {
    ErrorCode code = ErrorCode::Internal;
    std::string message;

    // Prepends the place as the error travels up: "rank3.json: event 17: no timestamp".
    Error within(std::string_view where) && {
        message.insert(0, std::string(where) + ": ");
        return std::move(*this);
    }
};

inline Error cancelled_error() { return {ErrorCode::Cancelled, "cancelled"}; }
inline Error bad_input(std::string message) { return {ErrorCode::BadInput, std::move(message)}; }

template <class T>
class [[nodiscard]] Result {
public:
    Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
    Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

    bool has_value() const { return state_.index() == 0; }
    explicit operator bool() const { return has_value(); }

    T& value() & {
        assert(has_value());
        return *std::get_if<0>(&state_);
    }
    const T& value() const& {
        assert(has_value());
        return *std::get_if<0>(&state_);
    }
    T&& value() && {
        assert(has_value());
        return std::move(*std::get_if<0>(&state_));
    }
    T& operator*() & { return value(); }
    const T& operator*() const& { return value(); }
    T* operator->() { return &value(); }
    const T* operator->() const { return &value(); }

    const Error& error() const& {
        assert(!has_value());
        return *std::get_if<1>(&state_);
    }
    Error&& error() && {
        assert(!has_value());
        return std::move(*std::get_if<1>(&state_));
    }

private:
    std::variant<T, Error> state_;
};

}  // namespace core
