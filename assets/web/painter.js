// Draws frames with WebGL 2, as ui/platform/gl_renderer does with OpenGL. Textures, scenes and lists
// are uploaded when they change and released when no frame has drawn them for a while.

import {kFill, kScene} from './frame_reader.js';

const kFramesKept = 240;
const kStride = 12;   // of rectangles
const kVertex = 20;

export class Painter {
  constructor(canvas, shaders) {
    this.canvas = canvas;
    this.gl = canvas.getContext('webgl2', {
      alpha: false, antialias: false, depth: false, stencil: false, powerPreference: 'low-power',
    });
    if (!this.gl) throw new Error('This browser has no WebGL 2, which draws the window.');
    this.shaders = shaders;
    this.begin();
  }

  // Also after the browser took the context away and gave it back.
  begin() {
    const gl = this.gl;
    this.frames = 0;
    this.textures = new Map();
    this.scenes = new Map();
    this.lists = new Map();
    this.triangles = this.link('triangles.vert', 'triangles.frag');
    this.strip = this.link('strip.vert', 'strip.frag');
    this.stacked = this.link('strip.vert', 'stacked.frag');
    this.rect = this.link('rect.vert', 'rect.frag');
    this.fills = {array: gl.createVertexArray(), buffer: gl.createBuffer()};
    this.declareRects(this.fills.array, this.fills.buffer);
    gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
  }

  link(vertexFile, fragmentFile) {
    const gl = this.gl;
    const program = gl.createProgram();
    for (const [kind, file] of [[gl.VERTEX_SHADER, vertexFile], [gl.FRAGMENT_SHADER, fragmentFile]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, this.shaders[file]);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS) && !gl.isContextLost())
      throw new Error('This browser cannot draw the window: ' + (gl.getProgramInfoLog(program) || vertexFile));
    const uniforms = {};
    for (const name of ['texture', 'columns', 'to_clip', 'offset', 'origin', 'scale', 'px_per_pixel', 'framebuffer',
      'colors', 'waiting', 'nothing']) uniforms[name] = gl.getUniformLocation(program, 'u_' + name);
    return {program, ...uniforms};
  }

  draw(frame) {
    const gl = this.gl;
    const width = Math.round(frame.width * frame.scaleX);
    const height = Math.round(frame.height * frame.scaleY);
    if (this.canvas.width !== width || this.canvas.height !== height) {
      this.canvas.width = width;
      this.canvas.height = height;
    }
    if (frame.fresh) this.forget();
    ++this.frames;
    this.height = height;
    gl.viewport(0, 0, width, height);
    gl.disable(gl.SCISSOR_TEST);
    gl.clearColor(...parts(frame.background), 1);
    gl.clear(gl.COLOR_BUFFER_BIT);
    gl.enable(gl.SCISSOR_TEST);
    for (const list of frame.lists) this.drawList(frame, list);
    gl.disable(gl.SCISSOR_TEST);
    gl.bindVertexArray(null);
    this.releaseUnused();
  }

  drawList(frame, list) {
    const gl = this.gl;
    const commands = list.commands;
    const vertices = this.uploadList(list);
    let ready = false;  // for triangles
    for (let i = 0; i < commands.length; ++i) {
      const command = commands[i];
      if (command.kind === kFill) {
        const begin = i;
        while (i + 1 < commands.length && commands[i + 1].kind === kFill) ++i;
        this.drawFills(frame, commands.slice(begin, i + 1));
        ready = false;
        continue;
      }
      this.setScissor(command.clip);
      if (command.kind === kScene) {
        this.drawScene(frame, frame.scenes[command.scene]);
        ready = false;
        continue;
      }
      if (!ready) {
        gl.enable(gl.BLEND);
        gl.useProgram(this.triangles.program);
        gl.uniform1i(this.triangles.texture, 0);
        gl.uniform2f(this.triangles.to_clip, 2 / frame.width, -2 / frame.height);
        gl.uniform2f(this.triangles.offset, -1, 1);
        gl.bindVertexArray(vertices.array);
        ready = true;
      }
      gl.bindTexture(gl.TEXTURE_2D, this.uploadTexture(frame.textures[command.texture]));
      gl.drawArrays(gl.TRIANGLES, command.first, command.count);
    }
  }

  setScissor(clip) {
    this.gl.scissor(clip[0], this.height - clip[3], clip[2] - clip[0], clip[3] - clip[1]);
  }

  // Opaque rectangles of whole pixels, all in one call.
  drawFills(frame, commands) {
    const gl = this.gl;
    const buffer = new ArrayBuffer(commands.length * kStride);
    const shorts = new Int16Array(buffer);
    const words = new Uint32Array(buffer);
    commands.forEach((command, i) => {
      const [left, top, right, bottom] = command.clip;
      shorts.set([left, right, top, bottom], i * 6);
      words[i * 3 + 2] = (command.color | 0xFF000000) >>> 0;
    });
    const width = frame.width * frame.scaleX;
    gl.disable(gl.BLEND);
    gl.scissor(0, 0, width, this.height);
    gl.useProgram(this.rect.program);
    gl.uniform2f(this.rect.origin, 0, 0);
    gl.uniform2f(this.rect.scale, 1, 1);
    gl.uniform2f(this.rect.px_per_pixel, 1, 1);
    gl.uniform2f(this.rect.framebuffer, width, this.height);
    gl.bindVertexArray(this.fills.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.fills.buffer);
    gl.bufferData(gl.ARRAY_BUFFER, new Uint8Array(buffer), gl.STREAM_DRAW);
    gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, commands.length);
  }

  uploadList(list) {
    const gl = this.gl;
    let kept = this.lists.get(list.slot);
    if (!kept) {
      kept = {array: gl.createVertexArray(), buffer: gl.createBuffer(), of: null};
      gl.bindVertexArray(kept.array);
      gl.bindBuffer(gl.ARRAY_BUFFER, kept.buffer);
      for (const attribute of [0, 1, 2]) gl.enableVertexAttribArray(attribute);
      gl.vertexAttribPointer(0, 2, gl.FLOAT, false, kVertex, 0);
      gl.vertexAttribPointer(1, 2, gl.FLOAT, false, kVertex, 8);
      gl.vertexAttribPointer(2, 4, gl.UNSIGNED_BYTE, true, kVertex, 16);
      this.lists.set(list.slot, kept);
    }
    kept.drawn = this.frames;
    if (kept.of === list) return kept;
    kept.of = list;
    gl.bindBuffer(gl.ARRAY_BUFFER, kept.buffer);
    gl.bufferData(gl.ARRAY_BUFFER, list.vertices, gl.STREAM_DRAW);
    return kept;
  }

  uploadTexture(texture) {
    const gl = this.gl;
    if (!texture) throw new Error('a texture is missing');
    let kept = this.textures.get(texture.id);
    if (!kept) this.textures.set(texture.id, kept = {texture: gl.createTexture(), version: null});
    kept.drawn = this.frames;
    if (kept.version === texture.version) return kept.texture;
    kept.version = texture.version;
    gl.bindTexture(gl.TEXTURE_2D, kept.texture);
    this.setFilter(gl.LINEAR);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, texture.width, texture.height, 0, gl.RGBA, gl.UNSIGNED_BYTE,
      texture.rgba);
    return kept.texture;
  }

  setFilter(filter) {
    const gl = this.gl;
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, filter);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, filter);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE);
  }

  declareRects(array, buffer) {
    const gl = this.gl;
    this.declareInstances(array, buffer);
    gl.vertexAttribPointer(1, 4, gl.UNSIGNED_BYTE, true, kStride, 8);
  }

  declareInstances(array, buffer) {
    const gl = this.gl;
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    for (const attribute of [0, 1]) {
      gl.enableVertexAttribArray(attribute);
      gl.vertexAttribDivisor(attribute, 1);
    }
    gl.vertexAttribIPointer(0, 4, gl.SHORT, kStride, 0);
  }

  uploadScene(scene) {
    const gl = this.gl;
    let kept = this.scenes.get(scene.id);
    if (!kept) {
      kept = {
        strips: gl.createVertexArray(), stripBuffer: gl.createBuffer(), rects: gl.createVertexArray(),
        rectBuffer: gl.createBuffer(), texture: gl.createTexture(), width: 0, rows: 0,
      };
      this.declareInstances(kept.strips, kept.stripBuffer);
      gl.vertexAttribIPointer(1, 1, gl.INT, kStride, 8);
      this.declareRects(kept.rects, kept.rectBuffer);
      this.scenes.set(scene.id, kept);
    }
    kept.drawn = this.frames;
    if (kept.stripsVersion !== scene.stripsVersion) this.uploadStrips(kept, scene);
    if (kept.rectsVersion !== scene.rectsVersion) {
      kept.rectsVersion = scene.rectsVersion;
      gl.bindBuffer(gl.ARRAY_BUFFER, kept.rectBuffer);
      gl.bufferData(gl.ARRAY_BUFFER, scene.rects, gl.STREAM_DRAW);
    }
    return kept;
  }

  uploadStrips(kept, scene) {
    const gl = this.gl;
    kept.stripsVersion = scene.stripsVersion;
    if (scene.width === 0) return;
    gl.bindBuffer(gl.ARRAY_BUFFER, kept.stripBuffer);
    gl.bufferData(gl.ARRAY_BUFFER, scene.quads, gl.STREAM_DRAW);
    const pixels = scene.columns.pixels;
    const rows = pixels.length / scene.width;
    const bytes = new Uint8Array(pixels.buffer, pixels.byteOffset, pixels.byteLength);
    gl.bindTexture(gl.TEXTURE_2D, kept.texture);
    if (scene.width !== kept.width || rows > kept.rows) {
      kept.width = scene.width;
      kept.rows = Math.max(rows + (rows >> 2), 16);
      gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, kept.width, kept.rows, 0, gl.RGBA, gl.UNSIGNED_BYTE, null);
      this.setFilter(gl.NEAREST);
    }
    gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, scene.width, rows, gl.RGBA, gl.UNSIGNED_BYTE, bytes);
  }

  use(program, frame, scene) {
    const gl = this.gl;
    gl.useProgram(program.program);
    gl.uniform2f(program.origin, scene.x, scene.y);
    gl.uniform2f(program.scale, frame.scaleX, frame.scaleY);
    gl.uniform2f(program.px_per_pixel, 1 / frame.scaleX, 1 / frame.scaleY);
    gl.uniform2f(program.framebuffer, frame.width * frame.scaleX, frame.height * frame.scaleY);
  }

  drawScene(frame, scene) {
    const gl = this.gl;
    if (!scene) throw new Error('a scene is missing');
    const kept = this.uploadScene(scene);
    if (scene.over) gl.enable(gl.BLEND);
    else gl.disable(gl.BLEND);
    gl.bindTexture(gl.TEXTURE_2D, kept.texture);
    this.drawStrips(frame, scene, kept, this.strip, 0, scene.quadCounts[0]);
    this.drawStrips(frame, scene, kept, this.stacked, scene.quadCounts[0], scene.quadCounts[1]);
    const rects = scene.rects ? scene.rects.length / kStride : 0;
    if (rects === 0) return;
    this.use(this.rect, frame, scene);
    gl.bindVertexArray(kept.rects);
    gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, rects);
  }

  drawStrips(frame, scene, kept, program, first, count) {
    if (count === 0 || scene.width === 0) return;
    const gl = this.gl;
    this.use(program, frame, scene);
    gl.uniform1i(program.columns, 0);
    gl.uniform3f(program.waiting, ...parts(scene.waiting));
    if (program === this.stacked) {
      gl.uniform1f(program.nothing, scene.over ? 0 : 1);
      gl.uniform3fv(program.colors, scene.colors.flatMap(parts));
    }
    gl.bindVertexArray(kept.strips);
    gl.bindBuffer(gl.ARRAY_BUFFER, kept.stripBuffer);
    gl.vertexAttribIPointer(0, 4, gl.SHORT, kStride, first * kStride);
    gl.vertexAttribIPointer(1, 1, gl.INT, kStride, first * kStride + 8);
    gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, count);
  }

  forget() {
    for (const kept of this.scenes.values()) this.releaseScene(kept);
    for (const kept of this.lists.values()) this.releaseList(kept);
    for (const kept of this.textures.values()) this.gl.deleteTexture(kept.texture);
    this.scenes.clear();
    this.lists.clear();
    this.textures.clear();
  }

  releaseScene(kept) {
    const gl = this.gl;
    for (const array of [kept.strips, kept.rects]) gl.deleteVertexArray(array);
    for (const buffer of [kept.stripBuffer, kept.rectBuffer]) gl.deleteBuffer(buffer);
    gl.deleteTexture(kept.texture);
  }

  releaseList(kept) {
    this.gl.deleteVertexArray(kept.array);
    this.gl.deleteBuffer(kept.buffer);
  }

  releaseUnused() {
    const release = (map, done) => {
      for (const [id, kept] of map) {
        if (this.frames - kept.drawn <= kFramesKept) continue;
        done(kept);
        map.delete(id);
      }
    };
    release(this.scenes, (kept) => this.releaseScene(kept));
    release(this.lists, (kept) => this.releaseList(kept));
    release(this.textures, (kept) => this.gl.deleteTexture(kept.texture));
  }

  // Pixels of the frame, RGBA, top row first.
  picture(frame) {
    this.draw(frame);
    const gl = this.gl;
    const {width, height} = this.canvas;
    const upsideDown = new Uint8Array(width * height * 4);
    gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, upsideDown);
    const rows = new Uint8Array(upsideDown.length);
    for (let y = 0; y < height; ++y)
      rows.set(upsideDown.subarray((height - 1 - y) * width * 4, (height - y) * width * 4), y * width * 4);
    return {width, height, rows};
  }
}

// Red, green, blue from 0 to 1.
function parts(color) { return [(color & 255) / 255, ((color >> 8) & 255) / 255, ((color >> 16) & 255) / 255]; }
