#pragma once
// Messages of input as the page writes them.

#include "ui/remote/input_decoder.hpp"
#include "ui/remote/wire_bytes.hpp"

#include <string>
#include <string_view>

namespace ui::testing {

class PageMessage {
public:
    PageMessage& pointer(std::int32_t x, std::int32_t y) {
        begin(remote::PageEvent::Pointer);
        body_.add_coordinate(x * 64);
        body_.add_coordinate(y * 64);
        return *this;
    }
    PageMessage& button(std::uint8_t number, bool down) {
        begin(remote::PageEvent::Button);
        body_.add_byte(number);
        body_.add_byte(down ? 1 : 0);
        return *this;
    }
    PageMessage& wheel(std::uint8_t mode, float x, float y) {
        begin(remote::PageEvent::Wheel);
        body_.add_byte(mode);
        body_.add_float(x);
        body_.add_float(y);
        return *this;
    }
    PageMessage& key(std::string_view code, std::uint8_t action, std::uint8_t modifiers = 0) {
        begin(remote::PageEvent::Key);
        body_.add_text(code);
        body_.add_byte(action);
        body_.add_byte(modifiers);
        return *this;
    }
    PageMessage& text(std::string_view text) {
        begin(remote::PageEvent::Text);
        body_.add_text(text);
        return *this;
    }
    PageMessage& blur() {
        begin(remote::PageEvent::Blur);
        return *this;
    }
    PageMessage& size(std::uint64_t width, std::uint64_t height, float ratio) {
        begin(remote::PageEvent::Size);
        body_.add_varint(width);
        body_.add_varint(height);
        body_.add_float(ratio);
        return *this;
    }
    std::string bytes(std::uint64_t number = 1) const {
        remote::WireWriter out;
        out.add_varint(number);
        out.add_varint(count_);
        out.add_bytes(body_.bytes());
        return out.take();
    }

private:
    void begin(remote::PageEvent event) {
        ++count_;
        body_.add_byte(static_cast<std::uint8_t>(event));
    }
    remote::WireWriter body_;
    std::uint64_t count_ = 0;
};

}  // namespace ui::testing
