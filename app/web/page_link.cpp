#include "app/web/page_link.hpp"

#include <utility>

namespace app::web {

bool PageLink::attach(const std::shared_ptr<PageSocket>& page, const ui::remote::PageBegin& begin) {
    std::shared_ptr<PageSocket> before;
    {
        const std::lock_guard lock(mutex_);
        if (page_ && !begin.takes_over) return false;
        before = std::exchange(page_, page);
        arrivals_ = {.begun = begin, .page = ++pages_, .messages = {}, .left = false};
        waiting_bytes_ = 0;
    }
    if (before) before->close(EndCode::TakenOver, "Another page shows this window now.");
    wake_();
    return true;
}

void PageLink::receive(const PageSocket& from, std::string message) {
    std::shared_ptr<PageSocket> flooding;
    {
        const std::lock_guard lock(mutex_);
        if (page_.get() != &from) return;
        waiting_bytes_ += message.size();
        arrivals_.messages.push_back(std::move(message));
        if (waiting_bytes_ > kMostWaitingBytes || arrivals_.messages.size() > kMostWaiting) flooding = page_;
    }
    if (flooding) {
        flooding->close(EndCode::Misused, "The page sent more than the window can handle.");
        detach(from);
    }
    wake_();
}

void PageLink::detach(const PageSocket& page) {
    {
        const std::lock_guard lock(mutex_);
        if (page_.get() != &page) return;
        page_.reset();
        arrivals_ = {.begun = std::nullopt, .page = 0, .messages = {}, .left = true};
        waiting_bytes_ = 0;
    }
    wake_();
}

PageLink::Arrivals PageLink::take() {
    const std::lock_guard lock(mutex_);
    waiting_bytes_ = 0;
    return std::exchange(arrivals_, {});
}

bool PageLink::has_arrivals() const {
    const std::lock_guard lock(mutex_);
    return arrivals_.begun || arrivals_.left || !arrivals_.messages.empty();
}

void PageLink::send(std::uint64_t page, std::string bytes) {
    std::shared_ptr<PageSocket> to;
    {
        const std::lock_guard lock(mutex_);
        if (page == pages_) to = page_;
    }
    if (to) to->send(std::move(bytes));
}

void PageLink::close(EndCode code, std::string reason) {
    std::shared_ptr<PageSocket> page;
    {
        const std::lock_guard lock(mutex_);
        page = page_;
    }
    if (!page) return;
    page->close(code, std::move(reason));
    detach(*page);
}

}  // namespace app::web
