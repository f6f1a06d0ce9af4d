// Drops files and folders on a window, as a file manager does (XDND version 5): drop_paths WINDOW X Y PATH...
// X and Y count from the corner of the screen. Exit status: 0 dropped and taken, 1 not.

#include <X11/Xlib.h>

#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <string>

#include <unistd.h>

namespace {

constexpr long kVersion = 5;
constexpr unsigned kMostSeconds = 20;  // a window that does not answer ends the program by a signal

struct Drop {
    Display* display;
    Window source;
    Window target;
    std::string uris;

    Atom atom(const char* name) const { return XInternAtom(display, name, False); }

    void send(const char* what, std::initializer_list<long> data) const {
        XEvent event{};
        event.xclient.type = ClientMessage;
        event.xclient.display = display;
        event.xclient.window = target;
        event.xclient.message_type = atom(what);
        event.xclient.format = 32;
        long* to = event.xclient.data.l;
        *to++ = static_cast<long>(source);
        for (const long value : data) *to++ = value;
        XSendEvent(display, target, False, NoEventMask, &event);
        XFlush(display);
    }

    void hand_over(const XSelectionRequestEvent& request) const {
        XChangeProperty(display, request.requestor, request.property, request.target, 8, PropModeReplace,
                        reinterpret_cast<const unsigned char*>(uris.data()), static_cast<int>(uris.size()));
        XEvent event{};
        event.xselection.type = SelectionNotify;
        event.xselection.display = display;
        event.xselection.requestor = request.requestor;
        event.xselection.selection = request.selection;
        event.xselection.target = request.target;
        event.xselection.property = request.property;
        event.xselection.time = request.time;
        XSendEvent(display, request.requestor, False, NoEventMask, &event);
        XFlush(display);
    }

    bool run(long x, long y) const {
        XSetSelectionOwner(display, atom("XdndSelection"), source, CurrentTime);
        send("XdndEnter", {kVersion << 24, static_cast<long>(atom("text/uri-list"))});
        send("XdndPosition", {0, (x << 16) | y, CurrentTime, static_cast<long>(atom("XdndActionCopy"))});
        for (XEvent event{};;) {
            XNextEvent(display, &event);
            if (event.type == SelectionRequest) hand_over(event.xselectionrequest);
            if (event.type != ClientMessage) continue;
            if (event.xclient.message_type == atom("XdndFinished"))
                return event.xclient.data.l[1] != 0;  // a flag; GLFW 3.3 sends how many bytes it took
            if (event.xclient.message_type != atom("XdndStatus")) continue;
            if ((event.xclient.data.l[1] & 1) == 0) return false;
            send("XdndDrop", {0, CurrentTime});
        }
    }
};

}  // namespace

int main(int count, char** words) {
    Display* display = count > 4 ? XOpenDisplay(nullptr) : nullptr;
    if (!display) {
        std::fputs("usage, with a DISPLAY: drop_paths WINDOW X Y PATH...\n", stderr);
        return 1;
    }
    alarm(kMostSeconds);
    std::string uris;
    for (int i = 4; i < count; ++i) uris += "file://" + std::string(words[i]) + "\r\n";
    const Window source = XCreateSimpleWindow(display, DefaultRootWindow(display), 0, 0, 1, 1, 0, 0, 0);
    const Drop drop{display, source, std::strtoul(words[1], nullptr, 0), uris};
    const bool taken = drop.run(std::strtol(words[2], nullptr, 10), std::strtol(words[3], nullptr, 10));
    XCloseDisplay(display);
    return taken ? 0 : 1;
}
