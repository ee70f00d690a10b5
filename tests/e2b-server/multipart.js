// The parts of a multipart body, one after another as they arrive; nothing is kept whole.

const CRLF = '\r\n';
const HEADER_MAX = 16 << 10;

export function boundaryOf(contentType) {
  const match = /;\s*boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(contentType);
  return match === null ? null : match[1] ?? match[2];
}

// What a browser escapes in a name.
function unescapeName(text) {
  return text?.replace(/%22/g, '"').replace(/%0D/gi, '\r').replace(/%0A/gi, '\n');
}

function readHead(text) {
  const line = text.split(CRLF).find((one) => /^content-disposition:/i.test(one)) ?? '';
  const word = (name) =>
    unescapeName(new RegExp(`;\\s*${name}="((?:[^"\\\\]|\\\\.)*)"`, 'i').exec(line)?.[1]);
  return { name: word('name'), filename: word('filename') };
}

export class MultipartReader {
  #source;
  #mark;
  #held = Buffer.from(CRLF); // So that the first boundary begins like the others.
  #isOpen = false; // In a part whose end was not met yet.

  constructor(chunks, boundary) {
    this.#source = chunks[Symbol.asyncIterator]();
    this.#mark = Buffer.from(`${CRLF}--${boundary}`);
  }

  async #more() {
    const { value, done } = await this.#source.next();
    if (done) throw new Error('multipart: NextPart: unexpected EOF');
    this.#held = Buffer.concat([this.#held, value]);
  }

  async #until(bytes, most) {
    let at = this.#held.indexOf(bytes);
    while (at < 0) {
      if (this.#held.length > most) throw new Error('multipart: header too long');
      await this.#more();
      at = this.#held.indexOf(bytes);
    }
    const text = this.#held.subarray(0, at);
    this.#held = this.#held.subarray(at + bytes.length);
    return text;
  }

  // The content of the part that is open; whatever of it is not read is skipped later.
  async* #content() {
    while (this.#isOpen) {
      const at = this.#held.indexOf(this.#mark);
      const keep = at < 0 ? Math.min(this.#held.length, this.#mark.length - 1) : 0;
      const part = at < 0 ? this.#held.subarray(0, this.#held.length - keep)
        : this.#held.subarray(0, at);
      this.#held = this.#held.subarray(at < 0 ? part.length : at + this.#mark.length);
      this.#isOpen = at < 0;
      if (part.length > 0) yield part;
      if (this.#isOpen) await this.#more();
    }
  }

  // { name, filename, content } each; content can be read until the next part is asked for.
  async* parts() {
    await this.#until(this.#mark, HEADER_MAX);
    for (;;) {
      while (this.#held.length < 2) await this.#more();
      if (this.#held.subarray(0, 2).toString() === '--') break;
      const head = await this.#until(Buffer.from(CRLF + CRLF), HEADER_MAX);
      this.#isOpen = true;
      yield { ...readHead(head.toString()), content: this.#content() };
      for await (const skipped of this.#content()) void skipped;
    }
    for (let end = false; !end;) ({ done: end } = await this.#source.next());
  }
}
