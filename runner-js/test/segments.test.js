import { test } from 'node:test';
import assert from 'node:assert/strict';
import { newSegments } from '../src/segments.js';

const MARK = '00112233445566778899aabbccddeeff';
const WINDOW = 200;

// A sink that takes so many bytes until it is drained.
function newSink(room = Infinity) {
  let queued = 0;
  let waiting = [];
  const sink = {
    said: '',
    write(bytes) {
      sink.said += bytes.toString('latin1');
      queued += bytes.length;
    },
    full: () => queued > room,
    empty: () => queued === 0,
    whenReady: (call) => waiting.push(call),
    drain() {
      queued = 0;
      const ready = waiting;
      waiting = [];
      for (const call of ready) call();
    },
    take() {
      const { said } = sink;
      sink.said = '';
      return said;
    },
  };
  return sink;
}

const begun = (sink) => {
  const segments = newSegments(sink, MARK, Buffer.from('hello\n'));
  segments.begin(WINDOW);
  assert.equal(sink.take(), `resumed ${MARK} 0 0\n`);
  return segments;
};

// The stream that the pieces stand for, from where they begin.
const joined = (said) => {
  let stream = '';
  let rest = said;
  while (rest.length > 0) {
    const [header] = rest.split('\n', 1);
    const [word, , size] = header.split(' ');
    assert.equal(word, 'seg');
    stream += rest.slice(header.length + 1, header.length + 1 + Number(size));
    assert.equal(rest[header.length + 1 + Number(size)], '\n');
    rest = rest.slice(header.length + 2 + Number(size));
  }
  return stream;
};

const counted = (from, to) => {
  let text = '';
  for (let i = from; i < to; i++) text += String.fromCharCode(97 + (i % 26));
  return text;
};

test('before it begins, every byte passes as it came', () => {
  const sink = newSink();
  const segments = newSegments(sink, MARK);
  segments.write(Buffer.from('bare'));
  assert.equal(sink.take(), 'bare');
  assert.equal(segments.empty(), false);
});

test('no more than the window is under way, and acknowledgements move it', () => {
  const sink = newSink();
  const segments = begun(sink);
  let woken = 0;
  for (let i = 0; i < 50; i++) segments.write(Buffer.from(counted(10 * i, 10 * i + 10)));
  assert.equal(joined(sink.take()), counted(0, WINDOW));
  assert.equal(segments.full(), true);
  segments.whenReady(() => woken++);
  segments.ack(33);
  assert.equal(joined(sink.take()), counted(WINDOW, WINDOW + 33));
  assert.equal(woken, 0);
  segments.ack(WINDOW + 33);
  segments.ack(400);
  assert.equal(woken, 1);
  segments.ack(500);
  assert.equal(joined(sink.take()), counted(WINDOW + 33, 500));
  assert.equal(segments.empty(), true);
});

test('a resumption at every byte says the rest again', () => {
  for (let offset = 0; offset <= 150; offset++) {
    const sink = newSink();
    const segments = begun(sink);
    for (let i = 0; i < 15; i++) segments.write(Buffer.from(counted(10 * i, 10 * i + 10)));
    sink.take();
    segments.resume(1, offset);
    const again = (offset === 0 ? 'hello\n' : '') + `resumed ${MARK} 1 0\n`;
    const said = sink.take();
    assert.ok(said.startsWith(again), said);
    assert.equal(joined(said.slice(again.length)), counted(offset, 150));
    segments.resume(1, 0);
    assert.equal(sink.take(), '', 'an epoch is answered once');
    segments.write(Buffer.from(counted(150, 170)));
    assert.equal(joined(sink.take()), counted(150, 170));
  }
});

test('what home repeats is taken once, and what is behind a gap is not', () => {
  const sink = newSink();
  const segments = begun(sink);
  let got = '';
  const take = (bytes) => (got += bytes);
  segments.seg(0, Buffer.from('abcdef'), take);
  segments.seg(0, Buffer.from('abcdef'), take);
  segments.seg(4, Buffer.from('efgh'), take);
  segments.seg(9, Buffer.from('late'), take);
  segments.resume(1, 0);
  assert.match(sink.take(), new RegExp(`resumed ${MARK} 1 8\n$`));
  segments.seg(8, Buffer.from('i'.repeat(49)), take);
  assert.equal(sink.take(), '');
  segments.seg(57, Buffer.from('j'), take);
  assert.equal(sink.take(), 'ack 58\n');
  assert.equal(got, `abcdefgh${'i'.repeat(49)}j`);
});

test('an acknowledgement of what was not said is refused', () => {
  const segments = begun(newSink());
  segments.write(Buffer.from('abc'));
  assert.throws(() => segments.ack(4), /acknowledges byte 4 of 3/);
  segments.ack(2);
  assert.throws(() => segments.resume(1, 1), /acknowledges byte 1 of 3/);
});

test('a sink that is full is not filled further', () => {
  const sink = newSink(40);
  const segments = begun(sink);
  sink.drain();
  for (let i = 0; i < 15; i++) segments.write(Buffer.from(counted(10 * i, 10 * i + 10)));
  let stream = joined(sink.take());
  assert.ok(stream.length < 60);
  for (let i = 0; i < 20; i++) {
    sink.drain();
    stream += joined(sink.take());
  }
  assert.equal(stream, counted(0, 150));
});

test('many small writes are cheap', () => {
  const sink = newSink();
  const segments = newSegments(sink, MARK, Buffer.from('hello\n'));
  segments.begin(4 << 20);
  for (let i = 0; i < 100_000; i++) segments.write(Buffer.from('0123456789'));
  for (let i = 1; i <= 100; i++) segments.ack(i * 10_000);
  assert.equal(segments.empty(), true);
});
