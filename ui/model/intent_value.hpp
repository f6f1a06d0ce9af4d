#pragma once
// The variant of all intents, for the few files that look into one: it takes the compiler seconds in each. No ImGui.

#include "ui/model/intent.hpp"

#include <variant>

namespace ui {

template <class Kinds>
struct VariantOf;
template <class... T>
struct VariantOf<IntentKinds<T...>> {
    using Type = std::variant<T...>;
};

struct IntentValue {
    VariantOf<AllIntents>::Type kind;
};

template <is_intent T>
const T* Intent::find() const {
    return std::get_if<T>(&value_->kind);
}

}  // namespace ui
