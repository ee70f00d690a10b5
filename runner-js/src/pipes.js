// Descriptors 3 and 4 as streams that never block the thread, whatever stands behind them: pipes
// and sockets through the event loop, files and terminals through the thread pool.

import { fstatSync, read, write } from 'node:fs';
import { Socket } from 'node:net';

const READ_BYTES = 64 << 10;
// How much may wait here for home: beyond it, the worker's ring fills and the worker waits.
const QUEUE_BYTES = 1 << 20;
const NOTHING = Buffer.alloc(0);

const isStream = (fd) => {
  const stat = fstatSync(fd);
  return stat.isFIFO() || stat.isSocket();
};

// onBytes(buffer): the bytes live until it returns. onEnd(): there will be no more.
export function openSource(fd, onBytes, onEnd) {
  if (isStream(fd)) {
    const buffer = Buffer.allocUnsafeSlow(READ_BYTES);
    const onread = {
      buffer,
      callback(count) {
        onBytes(buffer.subarray(0, count));
        return true;
      },
    };
    const socket = new Socket({ fd, readable: true, writable: false, onread });
    socket.on('end', onEnd).on('error', onEnd).on('close', onEnd);
    socket.read(0);
    return;
  }
  const buffer = Buffer.allocUnsafeSlow(READ_BYTES);
  const next = () =>
    read(fd, buffer, 0, READ_BYTES, null, (error, count) => {
      if (error || count === 0) return onEnd();
      onBytes(buffer.subarray(0, count));
      next();
    });
  next();
}

// onBroken(): home no longer takes anything.
export function openSink(fd, onBroken) {
  let queued = 0;
  let waiting = [];

  const wrote = (count) => {
    queued -= count;
    if (queued > QUEUE_BYTES / 2) return;
    const ready = waiting;
    waiting = [];
    for (const call of ready) call();
  };

  let send;
  if (isStream(fd)) {
    const socket = new Socket({ fd, readable: false, writable: true });
    socket.on('error', onBroken);
    // The first write takes node half a millisecond more than others: this one while nobody waits.
    setImmediate(() => socket.write(NOTHING));
    send = (bytes) => socket.write(bytes, () => wrote(bytes.length));
  } else {
    send = fileSender(fd, wrote, onBroken);
  }
  return {
    write(bytes) {
      queued += bytes.length;
      send(bytes);
    },
    full: () => queued > QUEUE_BYTES,
    empty: () => queued === 0,
    whenReady(call) {
      if (!waiting.includes(call)) waiting.push(call);
    },
  };
}

function fileSender(fd, wrote, onBroken) {
  const queue = [];
  const next = () => {
    const bytes = queue[0];
    write(fd, bytes, 0, bytes.length, null, (error, count) => {
      if (error && error.code === 'EAGAIN') return setTimeout(next, 5);
      if (error) return onBroken();
      if (count < bytes.length) queue[0] = bytes.subarray(count);
      else queue.shift();
      wrote(count);
      if (queue.length > 0) next();
    });
  };
  return (bytes) => {
    queue.push(bytes);
    if (queue.length === 1) next();
  };
}
