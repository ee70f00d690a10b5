// A program without a network (network = off): whether the place sees to that, and what the
// runner does where it does not, or so that an error says what is the matter.
//
// The runner's part is advice: what node offers refuses, but a child process, or a thread with
// globals of its own, is not asked. Sockets of the file system stay, with the place's means too.

import { readFileSync } from 'node:fs';
import { engine } from './intrinsics.js';

const { Error, defineProperty, apply } = engine;
const { nextTick } = process;
const MESSAGE = 'the network is off for this program';
// What stands in every network namespace, and leads nowhere as it is.
const LEADS_NOWHERE =
  /^(?:lo|tunl0|sit0|gre0|gretap0|erspan0|ip_vti0|ip6_vti0|ip6tnl0|ip6gre0)$/;

// Whether the process stands in a network that has no way out. On a machine that is merely not
// connected just now, the devices are there.
export function isCutOff() {
  try {
    const lines = readFileSync('/proc/self/net/dev', 'latin1').split('\n').slice(2);
    return lines
      .filter((line) => line.includes(':'))
      .every((line) => LEADS_NOWHERE.test(line.slice(0, line.indexOf(':')).trim()));
  } catch {
    return false;
  }
}

function refusal(syscall) {
  const error = new Error(MESSAGE);
  error.code = 'ENETUNREACH';
  error.syscall = syscall;
  return error;
}

function put(object, name, value) {
  if (object === undefined || typeof object[name] !== 'function') return;
  const own = engine.getOwnPropertyDescriptor(object, name);
  const enumerable = own === undefined || own.enumerable;
  defineProperty(object, name, {
    __proto__: null,
    value,
    writable: true,
    configurable: true,
    enumerable,
  });
}

// Whether these arguments of connect or listen name a socket of the file system.
function isLocal(args) {
  const first = engine.isArray(args[0]) ? args[0][0] : args[0];
  if (typeof first === 'string') return !(+first >= 0);
  return typeof first === 'object' && first !== null && !!first.path;
}

function refuseSockets({ Socket, Server }) {
  const { connect } = Socket.prototype;
  const { listen } = Server.prototype;
  put(Socket.prototype, 'connect', function (...args) {
    if (isLocal(args)) return apply(connect, this, args);
    // What stands upon a socket expects one that failed in node's own way: for want of an address.
    const error = refusal('connect');
    const lookup = (host, options, callback) => nextTick(callback, error);
    return apply(connect, this, [{ __proto__: null, host: 'off', port: 9, lookup }]);
  });
  put(Server.prototype, 'listen', function (...args) {
    if (isLocal(args)) return apply(listen, this, args);
    nextTick(() => this.emit('error', refusal('listen')));
    return this;
  });
}

function refuseDatagrams({ Socket }) {
  for (const name of ['bind', 'connect', 'send']) {
    put(Socket.prototype, name, function (...args) {
      const last = args[args.length - 1];
      const error = refusal(name);
      nextTick(() => {
        if (name !== 'bind' && typeof last === 'function') last(error);
        else this.emit('error', error);
      });
      return name === 'bind' ? this : undefined;
    });
  }
}

const QUERY = /^(?:lookup|lookupService|reverse|resolve(?:[A-Z0-9].*)?)$/;

function refuseNames(dns) {
  const asCall = (name) =>
    function (...args) {
      const last = args[args.length - 1];
      if (typeof last !== 'function') throw refusal(name);
      nextTick(last, refusal(name));
    };
  const asPromise = (name) => async () => {
    throw refusal(name);
  };
  const { promises } = dns;
  for (const [object, made] of [
    [dns, asCall],
    [dns.Resolver.prototype, asCall],
    [promises, asPromise],
    [promises.Resolver.prototype, asPromise],
  ]) {
    for (let at = object; at && at !== Object.prototype; at = Object.getPrototypeOf(at))
      for (const name of Object.getOwnPropertyNames(at))
        if (QUERY.test(name)) put(at, name, made(name));
  }
}

function refuseGlobals() {
  put(globalThis, 'fetch', async function fetch() {
    throw refusal('fetch');
  });
  for (const name of ['WebSocket', 'EventSource', 'WebSocketStream']) {
    const own = engine.getOwnPropertyDescriptor(globalThis, name);
    if (own === undefined) continue;
    const value = {
      [name]: class {
        constructor() {
          throw refusal(name);
        }
      },
    }[name];
    defineProperty(globalThis, name, {
      __proto__: null,
      value,
      writable: true,
      configurable: true,
    });
  }
}

// It would listen for somebody who debugs.
function refuseInspector(inspector) {
  put(inspector, 'open', () => {
    throw refusal('listen');
  });
}

// Before the program runs.
export function refuseNetwork() {
  const { require } = globalThis;
  refuseSockets(require('node:net'));
  refuseDatagrams(require('node:dgram'));
  refuseNames(require('node:dns'));
  if (process.features.inspector) refuseInspector(require('node:inspector'));
  refuseGlobals();
  require('node:module').syncBuiltinESMExports();
}
