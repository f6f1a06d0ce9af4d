#pragma once
// The variants of all intents, by what they change, for the few files that look into one: they take the compiler
// seconds in each. No ImGui.

#include "ui/model/intent.hpp"

#include <variant>

namespace ui {

template <class Kinds>
struct VariantOf;
template <class... T>
struct VariantOf<IntentKinds<T...>> {
    using Type = std::variant<T...>;
};
using DocumentIntent = VariantOf<DocumentIntents>::Type;
using SessionIntent = VariantOf<SessionIntents>::Type;
using FrameRequest = VariantOf<FrameRequests>::Type;
using WindowIntent = VariantOf<WindowIntents>::Type;

template <is_intent T>
using HomeOf =
    std::conditional_t<DocumentIntents::kHas<T>, DocumentIntent,
                       std::conditional_t<SessionIntents::kHas<T>, SessionIntent,
                                          std::conditional_t<FrameRequests::kHas<T>, FrameRequest, WindowIntent>>>;

struct IntentValue {
    std::variant<DocumentIntent, SessionIntent, FrameRequest, WindowIntent> home;
};

template <is_intent T>
const T* Intent::find() const {
    const auto* home = std::get_if<HomeOf<T>>(&value_->home);
    return home ? std::get_if<T>(home) : nullptr;
}

}  // namespace ui
