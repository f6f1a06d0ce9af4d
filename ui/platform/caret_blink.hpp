#pragma once
// A caret blinks while somebody types and for a while after, and then stays: each blink is a frame, and a window at
// rest draws none.

namespace ui {

class CaretBlink {
public:
    static constexpr double kSeconds = 10;  // after the last input, as desktops have it

    // Every frame, with the time that it begins.
    void update(double now_s, bool touched) {
        if (touched) touched_s_ = now_s;
        blinks_ = now_s - touched_s_ < kSeconds;
    }
    bool blinks() const { return blinks_; }

private:
    double touched_s_ = 0;
    bool blinks_ = false;
};

}  // namespace ui
