#pragma once
// What is made of a run, or of a rank, on demand and kept with it: one value per type.
// Any thread may ask; a value is made once, and again if making it gave none.

#include <map>
#include <memory>
#include <mutex>
#include <typeindex>

namespace core {

class Derived {
public:
    template <class T, class Make>
    std::shared_ptr<const T> get(const Make& make) const {
        const std::lock_guard lock(mutex_);
        std::shared_ptr<const void>& kept = values_[std::type_index(typeid(T))];
        if (!kept) {
            std::shared_ptr<const T> made = make();  // may ask for other types: references into a map stay
            kept = std::move(made);
        }
        return std::static_pointer_cast<const T>(kept);
    }
    // What was made already; null where it was not, or where another thread is making something. Never waits.
    template <class T>
    std::shared_ptr<const T> find() const {
        const std::unique_lock lock(mutex_, std::try_to_lock);
        if (!lock) return nullptr;
        const auto kept = values_.find(std::type_index(typeid(T)));
        return kept == values_.end() ? nullptr : std::static_pointer_cast<const T>(kept->second);
    }
    template <class T>
    void put(std::shared_ptr<const T> value) const {
        const std::lock_guard lock(mutex_);
        values_[std::type_index(typeid(T))] = std::move(value);
    }

private:
    mutable std::recursive_mutex mutex_;
    mutable std::map<std::type_index, std::shared_ptr<const void>> values_;
};

}  // namespace core
