// An answer on its way out, and the faults that befall it: cut, silence, small segments, buffering.
// Everything the server answers goes through here; without a fault it is what node:http does.

import { setTimeout as sleep } from 'node:timers/promises';

// What envd's queue and the kernel hold for a reader before they make the process wait.
const FULL_BYTES = 2 << 20;

// A reset and nothing before it. The public resetAndDestroy() ends the socket first, which tells
// the other side of a proper end every now and then.
export function resetSocket(socket) {
  if (socket === null) return;
  socket.resetAndClosing = true;
  socket.destroy();
}

// An ordered answer: its body is given as json, text or base64.
export function writeOrdered(response, { status, headers, json, text, base64 }) {
  let body = Buffer.from(text ?? '');
  let type = 'text/plain; charset=utf-8';
  if (base64 !== undefined) {
    body = Buffer.from(base64, 'base64');
    type = 'application/octet-stream';
  } else if (json !== undefined) {
    body = Buffer.from(JSON.stringify(json));
    type = 'application/json';
  }
  response.writeHead(status, { 'Content-Type': type, 'Content-Length': body.length, ...headers });
  response.end(body);
}

export class Reply {
  status = 0;
  bytes = 0; // Of the body, as the handler wrote it.
  #response;
  #stops; // Faults with a moment, in the order in which they came.
  #points; // Those whose moment is a count of bytes, in the order of their counts.
  #isSized = false;
  #announced = 0;
  #segment;
  #hold; // Bytes that are kept together, or 0.
  #queue = []; // Parts and deeds in order, where they do not go out at once.
  #isPumping = false;
  #held = [];
  #heldBytes = 0;
  #isEnded = false;
  #isMute = false;
  #onStop;
  #instead; // What is said when the handler has its answer, which is lost.

  // onStop(fault) does what is not about the answer: the sandbox expires, envd restarts.
  constructor(response, faults, onStop) {
    this.#response = response;
    this.#onStop = onStop;
    this.#stops = faults.filter(({ at }) => at !== undefined && at !== 'asked');
    this.#points = this.#stops.filter(({ at }) => Number.isInteger(at)).sort((a, b) => a.at - b.at);
    this.#segment = faults.find(({ kind }) => kind === 'segment');
    this.#instead = faults.find(({ kind, late }) => kind === 'answer' && late);
    this.#hold = faults.find(({ kind }) => kind === 'buffer')?.bytes ?? 0;
    response.on('error', () => {});
  }

  get isClosed() {
    return this.#response.destroyed || this.#response.writableFinished;
  }

  get isStarted() {
    return this.status !== 0;
  }

  // Called once when the other side went away, or all is out.
  onClose(call) {
    this.#response.once('close', call);
  }

  onDrain(call) {
    this.#response.on('drain', call);
  }

  // Resolves when all went out, or the other side is gone.
  drained() {
    const response = this.#response;
    return new Promise((resolve) => {
      const done = () => {
        response.off('drain', done).off('close', done);
        resolve();
      };
      response.on('drain', done).on('close', done);
    });
  }

  isFull() {
    return this.#response.writableLength > FULL_BYTES;
  }

  head(status, headers = {}) {
    if (this.isStarted || this.isClosed) return;
    this.status = status;
    this.#isSized = headers['Content-Length'] !== undefined;
    this.#announced = headers['Content-Length'] ?? 0;
    this.#pass('handled');
    if (this.#instead !== undefined) {
      this.#do(() => writeOrdered(this.#response, this.#instead));
      this.#isEnded = true;
      return;
    }
    this.#do(() => {
      if (!this.isClosed) this.#response.writeHead(status, headers);
    });
    this.#pass('head');
  }

  // parts: one buffer or a list of them; event: what kind of thing this is, for the faults.
  write(parts, event = undefined) {
    const list = Array.isArray(parts) ? parts : [parts];
    const whole = list.length === 1 ? list[0] : Buffer.concat(list);
    if (this.#isEnded || this.isClosed) return;
    let from = 0;
    while (this.#points.length > 0 && this.#points[0].at <= this.bytes + whole.length) {
      const stop = this.#points.shift();
      this.#emit(whole.subarray(from, stop.at - this.bytes));
      from = stop.at - this.bytes;
      this.#stop(stop);
    }
    this.bytes += whole.length;
    this.#emit(whole.subarray(from));
    if (event !== undefined) this.#pass(event);
  }

  end(bytes = undefined) {
    if (bytes !== undefined) this.write(bytes);
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#flush();
    // Whoever announced more than there is has no other way to say so.
    if (this.bytes < this.#announced) this.#do(() => this.#response.destroy());
    else this.#do(() => this.#response.end());
  }

  // For whoever has no words left: the connection goes.
  destroy() {
    this.#response.destroy();
  }

  #pass(point) {
    const stops = this.#stops.filter(({ at }) => at === point ||
      (point === 'head' && at === 0));
    for (const stop of stops) this.#stop(stop);
  }

  #stop(stop) {
    this.#stops = this.#stops.filter((one) => one !== stop);
    this.#points = this.#points.filter((one) => one !== stop);
    this.#flush();
    this.#do(() => this.#happen(stop));
  }

  async #happen(stop) {
    if (stop.kind === 'silence') {
      if (stop.ms > 0) await sleep(stop.ms);
      else this.#isMute = true;
    } else if (stop.kind === 'cut') {
      await this.#cut(stop.how);
    } else {
      await this.#written();
      this.#onStop(stop);
    }
  }

  // Until what was said is out: an end of the connection would take it along.
  async #written() {
    const { socket } = this.#response;
    if (this.#response.headersSent) this.#response.flushHeaders();
    for (let turn = 0; turn < 200 && socket?.writableLength > 0; turn += 1) await sleep(5);
    await sleep(1);
  }

  async #cut(how) {
    const { socket } = this.#response;
    await this.#written();
    this.#isMute = true;
    if (how === 'reset') resetSocket(socket);
    else if (how === 'end' && !this.#isSized) this.#response.end();
    else {
      socket?.end();
      setTimeout(() => this.#response.destroy(), 50);
    }
  }

  #emit(bytes) {
    if (bytes.length === 0) return;
    if (this.#hold === 0) {
      this.#send(bytes);
      return;
    }
    this.#held.push(bytes);
    this.#heldBytes += bytes.length;
    if (this.#heldBytes >= this.#hold) this.#flush();
  }

  #flush() {
    const bytes = Buffer.concat(this.#held);
    this.#held = [];
    this.#heldBytes = 0;
    if (bytes.length > 0) this.#send(bytes);
  }

  #send(bytes) {
    if (this.#segment === undefined) {
      this.#do(() => this.#put(bytes));
      return;
    }
    const { bytes: size, ms } = this.#segment;
    this.#response.socket?.setNoDelay(true);
    for (let at = 0; at < bytes.length; at += size) {
      this.#do(async () => {
        this.#put(bytes.subarray(at, at + size));
        if (ms > 0) await sleep(ms);
        else await new Promise(setImmediate);
      });
    }
  }

  #put(bytes) {
    if (!this.#isMute && !this.isClosed) this.#response.write(bytes);
  }

  // At once, or in its turn where something before it takes time.
  #do(deed) {
    if (this.#isMute) return;
    if (!this.#isPumping && this.#queue.length === 0) {
      const waits = deed();
      if (waits instanceof Promise) this.#pump(waits);
    } else {
      this.#queue.push(deed);
    }
  }

  async #pump(first) {
    this.#isPumping = true;
    await first;
    while (this.#queue.length > 0 && !this.#isMute && !this.isClosed) await this.#queue.shift()();
    this.#queue = [];
    this.#isPumping = false;
  }
}
