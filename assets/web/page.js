// The page: connects to the program, draws the frames it sends, sends input. Texts from the program
// may come from traces, so they are only ever set as text.

import {FrameReader, MessageSplitter, Writer} from './frame_reader.js';
import {Painter} from './painter.js';
import {PageInput} from './page_input.js';

const kProtocol = 'lockstep.web/1';
const kBegin = 0;  // requests
const kDrawn = 2;
const kPicture = 4;
const kHello = 0;  // messages
const kFrame = 1;
const kTitle = 2;
const kClipboard = 3;
const kFile = 4;
const kPictureWanted = 5;
const kEnds = {token: 4001, protocol: 4002, shown: 4003, taken: 4004, ended: 4005, misused: 4006};
const kCursors = ['default', 'text', 'move', 'ns-resize', 'ew-resize', 'nesw-resize', 'nwse-resize', 'pointer',
  'not-allowed', 'none'];
const kLongestWait = 8000;  // ms between two tries to connect

const canvas = document.getElementById('window');
const keys = document.getElementById('keys');
const root = document.documentElement;
let painter = null;
let input = null;
let connection = null;
let wait = 500;

function setState(state) { root.dataset.state = state; }

// button: [label, what it does]
function say(words, button) {
  document.getElementById('words').textContent = words;
  const again = document.getElementById('again');
  again.hidden = !button;
  again.textContent = button ? button[0] : '';
  again.onclick = button ? button[1] : null;
  document.getElementById('message').hidden = words === '';
  if (words === '') keys.focus({preventScroll: true});
}

function canvasSize() {
  const ratio = Math.min(8, Math.max(0.25, window.devicePixelRatio || 1));
  const side = (px) => Math.min(16384, Math.max(64, Math.round(px * ratio)));
  return {width: side(window.innerWidth), height: side(window.innerHeight), ratio};
}

class Connection {
  constructor(takesOver) {
    this.frames = new FrameReader();
    this.splitter = new MessageSplitter();
    this.file = null;
    this.frame = null;    // the newest
    this.number = 0;
    this.drawn = 0;       // number of the last frame that was drawn
    this.scheduled = false;
    const address = new URL('socket', location.href);
    address.protocol = location.protocol === 'https:' ? 'wss:' : 'ws:';
    address.hash = '';
    this.socket = new WebSocket(address);
    this.socket.binaryType = 'arraybuffer';
    this.socket.onopen = () => this.begin(takesOver);
    this.socket.onmessage = (event) => this.inflater.write(new Uint8Array(event.data)).catch(() => {});
    this.socket.onclose = (event) => this.end(event.code, event.reason);
    const stream = new DecompressionStream('deflate-raw');
    this.inflater = stream.writable.getWriter();
    this.read(stream.readable.getReader());
  }

  begin(takesOver) {
    const size = canvasSize();
    const message = new Writer();
    message.u8(kBegin);
    message.text(kProtocol);
    message.text(location.hash.slice(1));
    message.u8(takesOver ? 1 : 0);
    message.u8(input.mac ? 1 : 0);
    message.varint(size.width);
    message.varint(size.height);
    message.f32(size.ratio);
    this.send(message.done());
  }

  send(bytes) {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(bytes);
  }

  async read(reader) {
    try {
      for (;;) {
        const {done, value} = await reader.read();
        if (done) return;
        this.splitter.add(value, (kind, message) => this.take(kind, message));
      }
    } catch (error) {
      if (this.socket.readyState === WebSocket.OPEN) {
        console.error(error);
        this.socket.close();
      }
    }
  }

  take(kind, message) {
    if (kind === kHello) this.takeHello(message);
    else if (kind === kFrame) this.takeFrame(message);
    else if (kind === kTitle) document.title = new TextDecoder().decode(message.take(message.left));
    else if (kind === kClipboard) copy(new TextDecoder().decode(message.take(message.left)));
    else if (kind === kFile) this.takeFile(message);
    else if (kind === kPictureWanted) this.sendPicture();
  }

  takeHello(message) {
    if (message.text() !== kProtocol) {
      location.reload();
      return;
    }
    wait = 500;
    say('');
    setState('connected');
  }

  takeFrame(message) {
    this.number = message.varint();
    message.varint();  // input it shows
    const cursor = kCursors[message.u8()] || 'default';
    const typing = message.u8() !== 0;
    const busy = message.u8() !== 0;
    const caretX = message.coordinate() / 64;
    const caretY = message.coordinate() / 64;
    const fresh = this.scheduled && this.frame.fresh;  // the frame before will not be drawn
    this.frame = this.frames.read(message);
    this.frame.fresh ||= fresh;
    if (canvas.style.cursor !== cursor) canvas.style.cursor = cursor;
    canvas.setAttribute('aria-busy', String(busy));
    root.dataset.typing = String(typing);
    const ratio = window.devicePixelRatio || 1;
    keys.style.left = caretX / ratio + 'px';
    keys.style.top = caretY / ratio + 'px';
    if (this.scheduled) return;
    this.scheduled = true;
    requestAnimationFrame(() => this.draw());
  }

  draw() {
    this.scheduled = false;
    if (connection !== this || !this.frame) return;
    painter.draw(this.frame);
    this.frame.fresh = false;
    this.drawn = this.number;
    root.dataset.frame = String(this.number);
    const message = new Writer();
    message.u8(kDrawn);
    message.varint(this.number);
    this.send(message.done());
  }

  takeFile(message) {
    const name = message.text();
    const left = message.varint();
    if (!this.file || this.file.name !== name) this.file = {name, pieces: []};
    this.file.pieces.push(message.take(message.left).slice());
    if (left > 0) return;
    const blob = new Blob(this.file.pieces, {type: 'application/octet-stream'});
    this.file = null;
    const link = document.createElement('a');
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  }

  // The frame as it was drawn, for a picture or a report.
  async sendPicture() {
    const {width, height, rows} = painter.picture(this.frame);
    const packed = new Uint8Array(await new Response(
      new Blob([rows]).stream().pipeThrough(new CompressionStream('deflate-raw'))).arrayBuffer());
    const head = new Writer();
    head.u8(kPicture);
    head.varint(width);
    head.varint(height);
    const begin = head.done();
    const message = new Uint8Array(begin.length + packed.length);
    message.set(begin);
    message.set(packed, begin.length);
    this.send(message);
  }

  end(code, reason) {
    if (connection !== this) return;
    connection = null;
    setState('ended');
    root.dataset.code = String(code);
    if (code === kEnds.protocol) return location.reload();
    if (code === kEnds.shown || code === kEnds.taken)
      return say(reason, ['Show it here', () => connect(true)]);
    if (code === kEnds.token || code === kEnds.ended) return say(reason);
    if (code === kEnds.misused) return say(reason, ['Connect again', () => connect(false)]);
    say('The connection to Lockstep is lost. Trying again. If it ran over ssh, check that the tunnel is still there.',
      ['Try now', () => connect(false)]);
    setTimeout(() => {
      if (!connection) connect(false);
    }, wait);
    wait = Math.min(wait * 2, kLongestWait);
  }
}

function connect(takesOver) {
  if (connection) return;
  setState('connecting');
  connection = new Connection(takesOver);
}

// Without a right to write the clipboard, a field with the text is copied from.
async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const before = keys.value;
    keys.value = text;
    keys.select();
    const copied = document.execCommand('copy');
    keys.value = before;
    if (!copied) say('The browser did not let the page copy. Click into the window, then copy again.', ['Close', () => say('')]);
  }
}

function watchSize() {
  let sent = canvasSize();
  const check = () => {
    const size = canvasSize();
    if (size.width === sent.width && size.height === sent.height && size.ratio === sent.ratio) return;
    sent = size;
    input.resize(size.width, size.height, size.ratio);
  };
  window.addEventListener('resize', check);
  const watchRatio = () => {
    const query = matchMedia(`(resolution: ${window.devicePixelRatio}dppx)`);
    query.addEventListener('change', () => {
      check();
      watchRatio();
    }, {once: true});
  };
  watchRatio();
}

async function start() {
  if (!('DecompressionStream' in window))
    throw new Error('This browser is too old for Lockstep: it cannot inflate streams (DecompressionStream).');
  const answer = await fetch('shaders.json');
  if (!answer.ok) throw new Error('The program does not answer as expected. Load the page again.');
  painter = new Painter(canvas, await answer.json());
  canvas.addEventListener('webglcontextlost', (event) => event.preventDefault());
  canvas.addEventListener('webglcontextrestored', () => {
    painter.begin();
    if (connection) connection.draw();
  });
  input = new PageInput(canvas, keys, (bytes) => connection && connection.send(bytes));
  watchSize();
  window.addEventListener('hashchange', () => {
    if (!connection) connect(false);
  });
  connect(false);
}

start().catch((error) => {
  setState('failed');
  say(error.message);
});
