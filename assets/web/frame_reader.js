// Reads the messages of the program: ui/remote/page_stream, frame_encoder and strip_encoder. Damaged ones
// throw; then the connection begins again.

const kMostGlyphs = 70000;
const kMostMessage = 1 << 27;

export class Reader {
  constructor(bytes) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.at = 0;
  }
  get left() { return this.bytes.length - this.at; }
  skip(count) {
    if (count > this.left) throw new Error('a message ends too early');
    const at = this.at;
    this.at += count;
    return at;
  }
  u8() { return this.bytes[this.skip(1)]; }
  u32() { return this.view.getUint32(this.skip(4), true); }
  f32() { return this.view.getFloat32(this.skip(4), true); }
  // Numbers up to 2^53; larger ones never come.
  varint() {
    let value = 0;
    let scale = 1;
    for (let i = 0; i < 8; ++i) {
      const byte = this.u8();
      value += (byte & 127) * scale;
      if (byte < 128) return value;
      scale *= 128;
    }
    throw new Error('a number is too large');
  }
  signed() {
    const value = this.varint();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }
  // In 1/64.
  coordinate() {
    const value = this.varint();
    const half = Math.floor(value / 2);
    const at = half % 2 === 0 ? half / 2 : -(half + 1) / 2;
    return value % 2 === 0 ? at * 64 : at;
  }
  take(count) {
    const at = this.skip(count);
    return this.bytes.subarray(at, at + count);
  }
  text() { return new TextDecoder().decode(this.take(this.varint())); }
  count(most = this.left) {
    const count = this.varint();
    if (count > most) throw new Error('a count is too large');
    return count;
  }
}

export class Writer {
  constructor() { this.bytes = []; }
  u8(value) { this.bytes.push(value & 255); }
  varint(value) {
    for (; value >= 128; value = Math.floor(value / 128)) this.bytes.push((value % 128) | 128);
    this.bytes.push(value);
  }
  f32(value) { this.raw(new Uint8Array(new Float32Array([value]).buffer)); }
  // A place in whole px.
  coordinate(px) {
    const at = Math.round(px);
    this.varint((at < 0 ? -at * 2 - 1 : at * 2) * 2);
  }
  raw(bytes) { for (const byte of bytes) this.bytes.push(byte); }
  text(text) {
    const bytes = new TextEncoder().encode(text);
    this.varint(bytes.length);
    this.raw(bytes);
  }
  done() { return new Uint8Array(this.bytes); }
}

// Rows of pixel columns against those before.
class Strips {
  constructor() {
    this.width = 0;
    this.pixels = new Uint32Array(0);
  }
  read(width, reader) {
    const earlier = width === this.width ? this.pixels : new Uint32Array(0);
    this.width = width;
    const shift = reader.signed();
    const rows = reader.count();
    const pixels = new Uint32Array(rows * width);
    const fresh = [];  // begin, count
    for (let row = 0; row < rows; ++row) this.readRow(row, shift, earlier, pixels, fresh, reader);
    fillFresh(pixels, fresh, reader);
    this.pixels = pixels;
  }
  readRow(row, shift, earlier, pixels, fresh, reader) {
    const width = this.width;
    const begin = row * width;
    if (reader.u8() === 0) {
      fresh.push(begin, width);
      return;
    }
    const source = (row + reader.signed()) * width;
    if (source < 0 || source + width > earlier.length) throw new Error('a row has no earlier one');
    for (let x = 0; x < width;) {
      const equal = reader.varint();
      if (x + equal > width || (equal > 0 && (x < shift || x + equal - shift > width)))
        throw new Error('a row is too long');
      pixels.set(earlier.subarray(source + x - shift, source + x - shift + equal), begin + x);
      x += equal;
      if (x === width) break;
      const count = reader.varint();
      if (x + count > width || equal + count === 0) throw new Error('a row is too long');
      fresh.push(begin + x, count);
      x += count;
    }
  }
}

function fillFresh(pixels, fresh, reader) {
  const runs = reader.count();
  const lengths = new Array(runs);
  for (let i = 0; i < runs; ++i) lengths[i] = reader.varint();
  const values = new Uint32Array(runs);
  for (let shift = 0; shift < 32; shift += 8)
    for (let i = 0; i < runs; ++i) values[i] |= reader.u8() << shift;
  let run = 0;
  let used = 0;
  for (let i = 0; i < fresh.length; i += 2) {
    let at = fresh[i];
    const end = at + fresh[i + 1];
    while (at < end) {
      while (run < runs && used === lengths[run]) {
        ++run;
        used = 0;
      }
      if (run === runs) throw new Error('pixels are missing');
      const count = Math.min(end - at, lengths[run] - used);
      pixels.fill(values[run], at, at + count);
      at += count;
      used += count;
    }
  }
}

const kVertexBytes = 20;  // x, y, u, v as floats, colour

// The vertices of a list's triangles, in a buffer that grows.
class Vertices {
  constructor(corners) {
    this.buffer = new ArrayBuffer(corners * kVertexBytes);
    this.floats = new Float32Array(this.buffer);
    this.words = new Uint32Array(this.buffer);
    this.count = 0;
  }
  add(x, y, u, v, color) {
    const at = this.count++ * 5;
    this.floats[at] = x / 64;
    this.floats[at + 1] = y / 64;
    this.floats[at + 2] = u / 65536;
    this.floats[at + 3] = v / 65536;
    this.words[at + 4] = color;
  }
  addUpright(x, y, right, bottom, u0, v0, u1, v1, color) {
    this.add(x, y, u0, v0, color);
    this.add(right, y, u1, v0, color);
    this.add(right, bottom, u1, v1, color);
    this.add(x, y, u0, v0, color);
    this.add(right, bottom, u1, v1, color);
    this.add(x, bottom, u0, v1, color);
  }
}

const kGlyph = 0;
const kBox = 1;
const kTriangle = 2;

export const kTriangles = 0;
export const kFill = 1;
export const kScene = 2;

function readArray(count, read) {
  const values = new Array(count);
  for (let i = 0; i < count; ++i) values[i] = read();
  return values;
}

export class FrameReader {
  constructor() { this.forget(); }
  forget() {
    this.textures = new Map();
    this.scenes = new Map();
    this.lists = new Map();
    this.glyphs = [];  // six numbers each
    this.fresh = true;
  }

  // {size, scale, background, textures, scenes, lists, fresh}; what is unchanged is the same object as before, with the
  // same version.
  read(reader) {
    if (reader.u8() !== 0) this.forget();
    const frame = {
      width: reader.f32(), height: reader.f32(), scaleX: reader.f32(), scaleY: reader.f32(),
      background: reader.u32(), textures: [], scenes: [], lists: [], fresh: this.fresh,
    };
    this.fresh = false;
    for (let left = reader.count(); left > 0; --left) frame.textures.push(this.readTexture(reader));
    for (let left = reader.count(); left > 0; --left) frame.scenes.push(this.readScene(reader));
    for (let left = reader.count(); left > 0; --left) frame.lists.push(this.readList(reader));
    return frame;
  }

  readTexture(reader) {
    const id = reader.varint();
    if (reader.u8() === 0) {
      if (!this.textures.has(id)) throw new Error('a texture is missing');
      return this.textures.get(id);
    }
    const width = reader.count(16384);
    const height = reader.count(16384);
    const white = reader.u8() === 1;
    const raw = reader.take(width * height * (white ? 1 : 4));
    let rgba = raw;
    if (white) {
      const words = new Uint32Array(width * height);
      for (let i = 0; i < words.length; ++i) words[i] = (0xFFFFFF | (raw[i] << 24)) >>> 0;
      rgba = new Uint8Array(words.buffer);
    }
    const texture = {id, width, height, rgba, version: {}};
    this.textures.set(id, texture);
    return texture;
  }

  readScene(reader) {
    const id = reader.varint();
    let scene = this.scenes.get(id);
    if (!scene) {
      scene = {id, columns: new Strips(), width: 0, quads: null, quadCounts: [0, 0], rects: null};
      this.scenes.set(id, scene);
    }
    const flags = reader.u8();
    scene.over = (flags & 4) !== 0;
    scene.x = reader.coordinate() / 64;
    scene.y = reader.coordinate() / 64;
    scene.colors = readArray(4, () => reader.u32());
    scene.waiting = reader.u32();
    if (flags & 1) this.readStrips(scene, reader);
    if (flags & 2) this.readRects(scene, reader);
    return scene;
  }

  readStrips(scene, reader) {
    scene.quadCounts = [reader.count(), reader.count()];
    const quads = readEdges(scene.quadCounts[0] + scene.quadCounts[1], reader);
    let row = 0;
    for (let i = 0; i < quads.words.length; i += 3) quads.words[i + 2] = row += reader.signed();
    scene.quads = quads.shorts;
    scene.width = reader.count(16384);
    if (scene.width > 0) scene.columns.read(scene.width, reader);
    scene.stripsVersion = {};
  }

  readRects(scene, reader) {
    const palette = readArray(reader.count(), () => reader.u32());
    const rects = readEdges(reader.count(), reader);
    for (let i = 0; i < rects.words.length; i += 3) rects.words[i + 2] = palette[reader.count(palette.length - 1)];
    scene.rects = rects.shorts;
    scene.rectsVersion = {};
  }

  readList(reader) {
    const slot = reader.varint();
    if (reader.u8() === 0) {
      if (!this.lists.has(slot)) throw new Error('a list is missing');
      return this.lists.get(slot);
    }
    const list = this.readContent(reader);
    list.slot = slot;
    this.lists.set(slot, list);
    return list;
  }

  readContent(reader) {
    const palette = new Uint32Array(readArray(reader.count(), () => reader.u32()));
    this.readGlyphs(reader);
    const commands = readCommands(palette, reader);
    const runs = readArray(reader.count(), () => reader.varint());
    const counts = [0, 0, 0];
    for (const run of runs) counts[run % 3] += Math.floor(run / 3);
    if (counts[0] + counts[1] + counts[2] > reader.left) throw new Error('a list is too long');
    const fields = readFields(counts, palette, reader);
    const vertices = new Vertices(6 * (counts[kGlyph] + counts[kBox]) + 3 * counts[kTriangle]);
    const pen = {x: 0, y: 0, u: 0, v: 0, glyph: 0, box: 0, corner: 0, corners: []};
    let run = 0;
    for (const command of commands) {
      command.first = vertices.count;
      for (let k = 0; k < command.runs; ++k, ++run) {
        const kind = runs[run] % 3;
        for (let left = Math.floor(runs[run] / 3); left > 0; --left) this.addPrimitive(kind, fields, pen, vertices);
      }
      command.count = vertices.count - command.first;
    }
    return {commands, vertices: new Uint8Array(vertices.buffer, 0, vertices.count * kVertexBytes)};
  }

  readGlyphs(reader) {
    const count = reader.count();
    const begin = this.glyphs.length;
    if (begin / 6 + count > kMostGlyphs) throw new Error('too many letters');
    this.glyphs.length = begin + count * 6;
    for (let field = 0; field < 6; ++field)
      for (let i = 0; i < count; ++i) this.glyphs[begin + i * 6 + field] = reader.signed();
  }

  addPrimitive(kind, fields, pen, vertices) {
    if (kind === kGlyph) {
      const i = pen.glyph++;
      const at = fields.glyphs[i] * 6;
      const glyphs = this.glyphs;
      if (!(at + 6 <= glyphs.length)) throw new Error('a letter is missing');
      pen.x += fields.glyphX[i];
      pen.y += fields.glyphY[i];
      vertices.addUpright(pen.x, pen.y, pen.x + glyphs[at], pen.y + glyphs[at + 1], glyphs[at + 2], glyphs[at + 3],
        glyphs[at + 4], glyphs[at + 5], fields.glyphColors[i]);
      return;
    }
    if (kind === kBox) {
      const i = pen.box++;
      pen.x += fields.boxX[i];
      pen.y += fields.boxY[i];
      pen.u += fields.boxU[i];
      pen.v += fields.boxV[i];
      vertices.addUpright(pen.x, pen.y, pen.x + fields.boxW[i], pen.y + fields.boxH[i], pen.u, pen.v, pen.u, pen.v,
        fields.boxColors[i]);
      return;
    }
    for (let k = 0; k < 3; ++k) {
      const age = fields.ages[pen.corner++];
      let corner;
      if (age === 0) {
        const i = pen.corners.length;
        corner = [pen.x += fields.x[i], pen.y += fields.y[i], pen.u += fields.u[i], pen.v += fields.v[i],
          fields.colors[i]];
        pen.corners.push(corner);
      } else {
        corner = pen.corners[pen.corners.length - age];
        if (!corner) throw new Error('a corner is missing');
      }
      vertices.add(corner[0], corner[1], corner[2], corner[3], corner[4]);
    }
  }
}

// Rectangles of 12 bytes: four shorts, then a word.
function readEdges(count, reader) {
  const buffer = new ArrayBuffer(count * 12);
  const shorts = new Int16Array(buffer);
  let before = 0;
  for (let i = 0; i < count; ++i) shorts[i * 6] = before += reader.signed();
  for (let i = 0; i < count; ++i) shorts[i * 6 + 1] = shorts[i * 6] + reader.signed();
  before = 0;
  for (let i = 0; i < count; ++i) shorts[i * 6 + 2] = before += reader.signed();
  for (let i = 0; i < count; ++i) shorts[i * 6 + 3] = shorts[i * 6 + 2] + reader.signed();
  return {shorts: new Uint8Array(buffer), words: new Int32Array(buffer)};
}

function takeColor(palette, reader) { return palette[reader.count(palette.length - 1)]; }

function readCommands(palette, reader) {
  const clip = [0, 0, 0, 0];
  return readArray(reader.count(), () => {
    const command = {kind: reader.u8(), runs: 0};
    if (command.kind > kScene) throw new Error('a command is unknown');
    for (let k = 0; k < 4; ++k) clip[k] += reader.signed();
    command.clip = clip.slice();
    if (command.kind === kFill) command.color = takeColor(palette, reader);
    if (command.kind === kScene) command.scene = reader.varint();
    if (command.kind === kTriangles) {
      command.texture = reader.varint();
      command.runs = reader.varint();
    }
    return command;
  });
}

function readFields(counts, palette, reader) {
  const [glyphs, boxes, triangles] = counts;
  const coordinate = () => reader.coordinate();
  const number = () => reader.signed();
  const color = () => takeColor(palette, reader);
  const fields = {
    glyphs: readArray(glyphs, () => reader.varint()),
    glyphX: readArray(glyphs, coordinate),
    glyphY: readArray(glyphs, coordinate),
    glyphColors: readArray(glyphs, color),
    boxX: readArray(boxes, coordinate),
    boxY: readArray(boxes, coordinate),
    boxW: readArray(boxes, coordinate),
    boxH: readArray(boxes, coordinate),
    boxU: readArray(boxes, number),
    boxV: readArray(boxes, number),
    boxColors: readArray(boxes, color),
    ages: readArray(triangles * 3, () => reader.varint()),
  };
  const fresh = fields.ages.reduce((sum, age) => sum + (age === 0 ? 1 : 0), 0);
  fields.x = readArray(fresh, coordinate);
  fields.y = readArray(fresh, coordinate);
  fields.u = readArray(fresh, number);
  fields.v = readArray(fresh, number);
  fields.colors = readArray(fresh, color);
  return fields;
}

// The inflated stream cut into messages: kind, length, body.
export class MessageSplitter {
  constructor() {
    this.bytes = new Uint8Array(0);
  }
  // Calls take(kind, reader) for each whole message.
  add(piece, take) {
    const joined = new Uint8Array(this.bytes.length + piece.length);
    joined.set(this.bytes);
    joined.set(piece, this.bytes.length);
    this.bytes = joined;
    for (;;) {
      const message = this.next();
      if (!message) return;
      take(message.kind, new Reader(message.body));
    }
  }
  next() {
    let length = 0;
    let scale = 1;
    for (let at = 1; at < this.bytes.length && at < 8; ++at) {
      const byte = this.bytes[at];
      length += (byte & 127) * scale;
      scale *= 128;
      if (byte >= 128) continue;
      if (length > kMostMessage) throw new Error('a message is too long');
      if (this.bytes.length < at + 1 + length) return null;
      const message = {kind: this.bytes[0], body: this.bytes.subarray(at + 1, at + 1 + length)};
      this.bytes = this.bytes.subarray(at + 1 + length);
      return message;
    }
    return null;
  }
}
