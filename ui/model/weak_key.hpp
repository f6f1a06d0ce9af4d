#pragma once
// Part of a key that doesn't keep its object alive, so that a closed run is freed although a key
// still refers to it. Equal only to itself, even after the object is gone. No ImGui.

#include <memory>

namespace ui {

template <class T>
class WeakKey {
public:
    WeakKey() = default;
    WeakKey(const std::shared_ptr<const T>& named) : named_(named) {}
    bool operator==(const WeakKey& other) const {
        return !named_.owner_before(other.named_) && !other.named_.owner_before(named_);
    }

private:
    std::weak_ptr<const T> named_;
};

}  // namespace ui
