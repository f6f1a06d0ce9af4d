#pragma once
// Values derived from a run, or a rank, on demand and kept with it: one per type.
// Any thread may ask; a value is made once, and again if making it gave none or failed. Who asks waits for that type
// only, so the window never waits for what it did not ask for. Making one type may ask for others, but not in a circle.

#include <map>
#include <memory>
#include <mutex>
#include <typeindex>

namespace core {

class Derived {
public:
    template <class T, class Make>
    std::shared_ptr<const T> get(const Make& make) const {
        Entry& entry = entry_of(typeid(T));
        if (std::shared_ptr<const void> kept = read(entry)) return std::static_pointer_cast<const T>(std::move(kept));
        const std::lock_guard making(entry.making);
        if (std::shared_ptr<const void> kept = read(entry)) return std::static_pointer_cast<const T>(std::move(kept));
        std::shared_ptr<const T> made = make();
        write(entry, made);
        return made;
    }
    // The value if it is made already; null while it is being made, too. Never waits for that.
    template <class T>
    std::shared_ptr<const T> find() const {
        const std::lock_guard lock(mutex_);
        const auto entry = entries_.find(std::type_index(typeid(T)));
        return entry == entries_.end() ? nullptr : std::static_pointer_cast<const T>(entry->second.value);
    }
    template <class T>
    void put(std::shared_ptr<const T> value) const {
        write(entry_of(typeid(T)), std::move(value));
    }

private:
    struct Entry {
        std::mutex making;
        std::shared_ptr<const void> value{};  // guarded by mutex_
    };
    Entry& entry_of(std::type_index type) const {
        const std::lock_guard lock(mutex_);
        return entries_[type];  // stays where it is
    }
    std::shared_ptr<const void> read(const Entry& entry) const {
        const std::lock_guard lock(mutex_);
        return entry.value;
    }
    void write(Entry& entry, std::shared_ptr<const void> value) const {
        const std::lock_guard lock(mutex_);
        std::swap(entry.value, value);  // the old one goes after the lock
    }

    mutable std::mutex mutex_;  // held for moments only
    mutable std::map<std::type_index, Entry> entries_;
};

}  // namespace core
