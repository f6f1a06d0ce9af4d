#pragma once
// Something a panel makes of an answer, on the pool, because it may take longer than a frame. The last
// one stays until the next is there. Main thread only; the work must own all it reads.

#include "core/base/jobs.hpp"

#include <functional>
#include <memory>

namespace ui {

template <class Key, class T>
class Derived {
public:
    // Asking with the same key is free. Returns what is there: of this key if fresh(), else older or null.
    std::shared_ptr<const T> ask(core::JobPool& pool, const Key& key, const std::function<T()>& make) {
        if (!asked_ || !(key_ == key)) {
            asked_ = true;
            key_ = key;
            job_ = core::Job<std::shared_ptr<const T>>::start(
                pool, [make](const core::JobContext&) -> core::Result<std::shared_ptr<const T>> {
                    return std::make_shared<const T>(make());
                });
        }
        if (const auto* result = job_ ? job_.poll() : nullptr) {
            if (*result) made_ = **result;
            job_ = {};
        }
        return made_;
    }
    bool fresh() const { return !job_; }

private:
    bool asked_ = false;
    Key key_{};
    core::Job<std::shared_ptr<const T>> job_;
    std::shared_ptr<const T> made_;
};

}  // namespace ui
