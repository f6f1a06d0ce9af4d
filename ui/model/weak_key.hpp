#pragma once
// What a key names and does not keep: a run that was closed is free although somebody was asked about it last. Equal to
// itself alone, also when it is gone. No ImGui.

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
