// Input of the page as the messages of ui/remote/input_decoder. Moves of the pointer are merged to
// one per picture; presses, keys and turns of the wheel never.

import {Writer} from './frame_reader.js';

const kPointer = 0;
const kButton = 1;
const kWheel = 2;
const kKey = 3;
const kText = 4;
const kBlur = 5;
const kSize = 6;

const kInput = 1;  // kinds of requests
const kPaste = 3;

// Left to the browser: its tabs and windows, its tools, its zoom, loading again.
const kBrowserKeys = new Set(['F5', 'F11', 'F12']);
const kBrowserChords = new Set(['KeyW', 'KeyT', 'KeyN', 'KeyR', 'Equal', 'Minus', 'Digit0', 'NumpadAdd',
  'NumpadSubtract', 'Numpad0']);
const kBrowserShifted = new Set(['KeyI', 'KeyJ', 'KeyT', 'KeyN', 'KeyW', 'KeyR']);

export class PageInput {
  constructor(canvas, keys, send) {
    this.canvas = canvas;
    this.keys = keys;
    this.send = send;
    this.number = 0;
    this.events = new Writer();
    this.count = 0;
    this.pointer = null;
    this.scheduled = false;
    this.pressed = new Set();
    this.mac = /Mac|iPhone|iPad/.test(navigator.platform);
    this.listen();
  }

  listen() {
    const canvas = this.canvas;
    const keys = this.keys;
    canvas.addEventListener('pointermove', (event) => this.move(event));
    canvas.addEventListener('pointerdown', (event) => {
      canvas.setPointerCapture(event.pointerId);
      keys.focus({preventScroll: true});
      this.button(event, 1);
      event.preventDefault();
    });
    canvas.addEventListener('pointerup', (event) => this.button(event, 0));
    canvas.addEventListener('pointercancel', () => this.blur());
    canvas.addEventListener('pointerleave', (event) => {
      if (event.buttons === 0) this.moveTo(-30000, -30000);
    });
    canvas.addEventListener('contextmenu', (event) => event.preventDefault());
    canvas.addEventListener('wheel', (event) => this.wheel(event), {passive: false});
    keys.addEventListener('keydown', (event) => this.key(event, event.repeat ? 2 : 1));
    keys.addEventListener('keyup', (event) => this.key(event, 0));
    keys.addEventListener('input', (event) => {
      if (!event.isComposing) this.takeText();
    });
    keys.addEventListener('compositionend', () => this.takeText());
    keys.addEventListener('paste', (event) => this.paste(event));
    keys.addEventListener('blur', () => this.blur());
    window.addEventListener('focus', () => keys.focus({preventScroll: true}));
    keys.focus({preventScroll: true});
  }

  begin(kind) {
    this.events.u8(kind);
    ++this.count;
    this.schedule();
  }

  schedule() {
    if (this.scheduled) return;
    this.scheduled = true;
    requestAnimationFrame(() => this.flush());
  }

  flush() {
    this.scheduled = false;
    this.writePointer();
    if (this.count === 0) return;
    const message = new Writer();
    message.u8(kInput);
    message.varint(++this.number);
    message.varint(this.count);
    message.raw(this.events.bytes);
    this.events = new Writer();
    this.count = 0;
    this.send(message.done());
  }

  writePointer() {
    if (!this.pointer) return;
    const {x, y} = this.pointer;
    this.pointer = null;
    this.events.u8(kPointer);
    ++this.count;
    this.events.coordinate(x);
    this.events.coordinate(y);
  }

  // In pixels of the canvas.
  place(event) {
    const box = this.canvas.getBoundingClientRect();
    return [(event.clientX - box.left) * this.canvas.width / box.width,
      (event.clientY - box.top) * this.canvas.height / box.height];
  }
  move(event) {
    const [x, y] = this.place(event);
    this.moveTo(Math.floor(x), Math.floor(y));
  }
  moveTo(x, y) {
    this.pointer = {x, y};
    this.schedule();
  }
  button(event, down) {
    const number = [0, 2, 1][event.button];
    if (number === undefined) return;
    this.move(event);
    this.writePointer();
    this.begin(kButton);
    this.events.u8(number);
    this.events.u8(down);
    this.flush();
  }
  wheel(event) {
    event.preventDefault();
    this.move(event);
    this.writePointer();
    // A pinch comes as a wheel with Ctrl that no key holds.
    const pinch = event.ctrlKey && !this.pressed.has('ControlLeft') && !this.pressed.has('ControlRight');
    if (pinch) this.writeKey('ControlLeft', 1, 2);
    this.begin(kWheel);
    this.events.u8(event.deltaMode);
    this.events.f32(event.shiftKey && event.deltaX !== 0 && event.deltaY === 0 ? 0 : event.deltaX);
    this.events.f32(event.shiftKey && event.deltaX !== 0 && event.deltaY === 0 ? event.deltaX : event.deltaY);
    if (pinch) this.writeKey('ControlLeft', 0, 0);
  }

  writeKey(code, action, modifiers) {
    this.begin(kKey);
    this.events.text(code);
    this.events.u8(action);
    this.events.u8(modifiers);
  }

  isBrowsers(event) {
    const chord = this.mac ? event.metaKey : event.ctrlKey;
    if (kBrowserKeys.has(event.code)) return true;
    if (!chord) return false;
    return event.shiftKey ? kBrowserShifted.has(event.code) : kBrowserChords.has(event.code);
  }

  key(event, action) {
    if (event.isComposing || event.code === '' || event.code.length > 32) return;
    if (action !== 0 && this.isBrowsers(event)) return;
    const chord = this.mac ? event.metaKey : event.ctrlKey;
    if (action !== 0 && chord && event.code === 'KeyV') return;  // the event "paste" follows
    if (action === 0) this.pressed.delete(event.code);
    else this.pressed.add(event.code);
    this.writeKey(event.code, action,
      (event.shiftKey ? 1 : 0) | (event.ctrlKey ? 2 : 0) | (event.altKey ? 4 : 0) | (event.metaKey ? 8 : 0));
    const types = event.key.length === 1 && !event.ctrlKey && !event.metaKey;
    if (!types && event.key !== 'Dead' && event.key !== 'Process') event.preventDefault();
    // While Cmd is held, macOS reports no release of other keys.
    if (this.mac && action === 0 && event.code.startsWith('Meta')) this.blur();
    this.flush();
  }

  takeText() {
    const text = this.keys.value;
    this.keys.value = '';
    if (text === '') return;
    for (let at = 0; at < text.length; at += 2000) {
      this.begin(kText);
      this.events.text(text.slice(at, at + 2000).toWellFormed?.() ?? text.slice(at, at + 2000));
    }
    this.flush();
  }

  paste(event) {
    event.preventDefault();
    const text = event.clipboardData ? event.clipboardData.getData('text/plain') : '';
    const bytes = new TextEncoder().encode(text);
    if (bytes.length > 1 << 20) return;
    const message = new Uint8Array(bytes.length + 1);
    message[0] = kPaste;
    message.set(bytes, 1);
    this.flush();
    this.send(message);
    const control = this.mac ? 8 : 2;
    this.writeKey('KeyV', 1, control);
    this.writeKey('KeyV', 0, control);
    this.flush();
  }

  blur() {
    this.pressed.clear();
    this.begin(kBlur);
    this.flush();
  }

  resize(width, height, ratio) {
    this.begin(kSize);
    this.events.varint(width);
    this.events.varint(height);
    this.events.f32(ratio);
    this.flush();
  }
}
