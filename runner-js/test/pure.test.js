// Programs that look for a way out of a realm of their own (globals = pure): by each of these ways
// somebody has come out of one that was made with less care.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { nodes, run } from './home.js';

// Whether an object, or what stands behind it, evaluates text where node is.
const OUT = `
  const tries = async (f) => {
    for (const text of ['return process', 'return this.process', 'return require']) {
      try {
        let got = f(text)();
        if (typeof got.next === 'function') got = got.next();
        got = await got;
        if (typeof got === 'object' && 'value' in got) got = got.value;
        if (typeof got === 'function' || typeof got.exit === 'function') return true;
      } catch {}
    }
    return false;
  };
  const rootOf = (value) => {
    const next = Object.getPrototypeOf(value);
    return next === null ? value : rootOf(next);
  };
  // A function, or an error, of which what it inherits is that of objects elsewhere.
  const strays = (value) => {
    const root = rootOf(value);
    return root !== Object.prototype && root !== value;
  };
  const leads = async (value, depth = 0) => {
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false;
    if (typeof value === 'function' && (await tries(value))) return true;
    if ((typeof value === 'function' || Error.isError?.(value)) && strays(value)) return true;
    const next = [];
    try {
      const { get, set } = Object.getOwnPropertyDescriptor(value, 'stack');
      next.push(get, set);
    } catch {}
    try { next.push(value.toString) } catch {}
    try { next.push(value.constructor) } catch {}
    try { next.push(Object.getPrototypeOf(value)) } catch {}
    try { next.push(value.stack, value.cause, value.then) } catch {}
    for (const each of depth < 4 ? next : []) if (await leads(each, depth + 1)) return true;
    return false;
  };
  const any = async () => {
    for (const each of [...met]) if (await leads(each)) return true;
    return false;
  };
  let met = [];
  const meet = (...values) => { met.push(...values) };
  const caught = (f) => { try { meet(f()) } catch (e) { meet(e) } };
  const deep = (f) => {
    let left = 50;
    const go = () => {
      try { go() } catch (e) { if (left > 0) meet(e) }
      if (left-- > 0) caught(f);
    };
    go();
  };
`;

const WAYS = {
  'the constructor of this': 'meet(this, globalThis, globalThis.constructor)',
  'the constructor of a tool': 'meet(tools, tools.echo)',
  'an answer': 'meet(await tools.echo({ a: [1] }))',
  'an error of a tool': 'meet(await tools.fail({ message: "m", data: {} }).catch((e) => e))',
  'the promise of a call': 'meet(tools.echo(1), tools.echo(1).then(() => 1))',
  'a refused argument': 'meet(await tools.echo(() => 1).catch((e) => e))',
  'a cycle': 'const c = {}; c.c = c; meet(await tools.echo(c).catch((e) => e))',
  'a symbol for an argument': 'meet(await tools.echo(Symbol("s")).catch((e) => e))',
  'a getter that throws':
    'meet(await tools.echo({ get a() { throw { x: 1 } } }).catch((e) => e))',
  'what a getter is called with': 'await tools.echo({ get a() { meet(this); return 1 } })',
  'the traps of a proxy': `
    const handler = new Proxy({}, {
      get: (target, trap) => (...given) => { meet(...given); return Reflect[trap](...given) },
    });
    await tools.echo(new Proxy({ a: 1 }, handler));
    console.log(new Proxy({ a: 1 }, handler), new Proxy(() => 1, handler));`,
  'a proxy whose traps throw': `
    const handler = new Proxy({}, { get() { throw null } });
    meet(await tools.echo(new Proxy({}, handler)).catch((e) => e));
    caught(() => console.log(new Proxy({}, handler)));`,
  'toJSON': 'console.log({ toJSON(...given) { meet(this, ...given); return 1 } })',
  'toString of what is logged': `
    const odd = { toJSON: () => undefined, toString(...given) { meet(this, ...given); return '' } };
    console.log(odd); console.log({ toJSON() { throw 1 }, toString() { throw {} } }.x);`,
  "node's own inspecting": `
    const custom = Symbol.for('nodejs.util.inspect.custom');
    const spy = { [custom](...given) { meet(this, ...given); return '' },
      inspect(...given) { meet(...given); return '' } };
    console.log(spy); console.error(spy); console.dir(spy); console.log('%o %O', spy, spy);`,
  'a species': `
    class Mine extends Promise { static get [Symbol.species]() { meet(this); return Promise } }
    meet(await Mine.resolve(tools.echo(1)))`,
  'a thenable argument': `
    meet(await tools.echo({ then(...given) { meet(...given); given[0](1) } }).catch((e) => e))`,
  'a thenable result of a listener':
    'signal.addEventListener("abort", { handleEvent() {} }.handleEvent); meet(signal)',
  'listening to what is no function':
    'caught(() => signal.addEventListener("abort", {})); meet(signal.throwIfAborted)',
  'import': 'const p = import("node:fs"); meet(p); meet(await p.catch((e) => e))',
  'import in evaluated text':
    'const p = (0, eval)("import(`node:fs`)"); meet(p); meet(await p.catch((e) => e))',
  'import in a made function':
    'const p = new Function("return import(`fs`)")(); meet(p); meet(await p.catch((e) => e))',
  'import of what throws as text': `
    const p = import({ toString() { meet(this); throw {} } });
    meet(p, await p.catch((e) => e))`,
  'import with odd attributes': `
    caught(() => eval('import("x", { with: { get type() { throw {} } } })'));
    const p = eval('import("x", { with: { type: "json" } })'); meet(p, await p.catch((e) => e))`,
  'import from a generator': `
    const g = eval('(async function* () { yield import("x") })')();
    meet(g, g.next, await g.next().catch((e) => e))`,
  'import.meta': 'caught(() => eval("import.meta")); caught(() => new Function("import.meta"))',
  'too deep a recursion': 'deep(() => 1)',
  'too deep a recursion into a tool': 'deep(() => tools.echo(1).catch(() => 1))',
  'too deep a recursion into the console': 'deep(() => console.log())',
  'too deep a recursion into import': 'deep(() => import("x").catch((e) => meet(e)))',
  'too deep a recursion into a stack': 'deep(() => new Error("x").stack)',
  'too deep a recursion into captureStackTrace':
    'deep(() => { const o = {}; Error.captureStackTrace(o); return o.stack })',
  'the sites of a stack': `
    caught(() => { Error.prepareStackTrace = (e, sites) => { meet(...sites); return sites } });
    meet(new Error('x').stack)`,
  'sites by another Error': `
    caught(() => { globalThis.Error = { prepareStackTrace: (e, s) => { meet(...s); return s } } });
    caught(() => Object.defineProperty(globalThis, 'Error', { value: {
      prepareStackTrace: (e, s) => { meet(...s); return s } } }));
    caught(() => null.x)`,
  'sites by a subclass': `
    class Mine extends Error { static prepareStackTrace(e, s) { meet(...s); return s } }
    meet(new Mine('x').stack); const o = {}; Mine.captureStackTrace?.(o); meet(o.stack)`,
  'the words of a site': `
    const f = Error.prepareStackTrace;
    if (f) meet(f, f(new Error('x'), [{ toString() { meet(this); throw {} } }]))`,
  'an error whose name is an object': `
    const e = new Error('x'); e.name = { toString() { meet(this); throw {} } }; console.log(e);
    meet(e.stack)`,
  'an error with a symbol for a name':
    'const e = new Error(); e.name = Symbol(); caught(() => e.stack); caught(() => console.log(e))',
  'who called': `
    caught(() => new Function('return arguments.callee.caller')());
    const who = new Function('return arguments.callee.caller');
    await tools.echo({ get a() { meet(who()); return 1 } });
    const f = new Function('meet',
      'const { caller } = arguments.callee; meet(caller, caller?.caller)');
    console.log({ toJSON() { f(meet); return 1 } });`,
  'who called, by a sloppy getter': `
    const o = {}; new Function('o', 'meet', 'Object.defineProperty(o, "a", { enumerable: true, ' +
      'get: function g() { meet(g.caller, g.arguments, this); return 1 } })')(o, meet);
    await tools.echo(o); console.log(o);`,
  'this of a sloppy function':
    'meet(new Function("return this")(), [1].map(new Function("return this"))[0])',
  'old accessors': `
    caught(() => ({}).__lookupGetter__('__proto__').call(tools));
    caught(() => ({}).__defineGetter__.call(console, 'x', () => 1));
    caught(() => Object.prototype.__lookupSetter__('__proto__').call(tools, {}))`,
  'call and apply': `
    caught(() => Function.prototype.call.call(tools.echo, null, 1));
    caught(() => Reflect.apply(console.log, undefined, { length: 1, get 0() { meet(this) } }));
    caught(() => Reflect.construct(Object, [], console.log))`,
  'a new target': `
    caught(() => Reflect.construct(Promise, [() => {}], tools.echo));
    caught(() => Reflect.construct(Error, [], ToolError))`,
  'the class of errors': `
    meet(ToolError, new ToolError('x'), Object.getPrototypeOf(ToolError));
    caught(() => ToolError('x')); caught(() => ToolError.call({}, 'x'))`,
  'an async generator': `
    const g = (async function* () { yield tools.echo(1); yield await import('x') })();
    meet(g, await g.next(), await g.next().catch((e) => e), await g.return())`,
  'for await over what rejects': `
    try { for await (const x of [tools.fail({ message: 'm' })]) meet(x) } catch (e) { meet(e) }`,
  'Promise.any': `
    meet(await Promise.any([tools.fail({ message: 'm' }), import('x')]).catch((e) => e))`,
  'Promise.race and allSettled': `
    meet(await Promise.race([tools.echo(1)]),
      ...(await Promise.allSettled([tools.fail({}), import('x')])).map((r) => r.reason))`,
  'finalizing': `
    const registry = new FinalizationRegistry((held) => meet(held)); registry.register({}, tools);
    meet(registry, new WeakRef(tools.echo).deref())`,
  'shared memory': `
    const shared = new SharedArrayBuffer(8); meet(shared, Atomics, new Int32Array(shared));
    caught(() => Atomics.wait(new Int32Array(shared), 1, 0, 1));
    caught(() => Atomics.waitAsync?.(new Int32Array(shared), 0, 0, 1))`,
  'WebAssembly, by what may still lead to it':
    'meet(globalThis.WebAssembly); caught(() => eval("WebAssembly"))',
  'a global that shadows one of the runner': `
    for (const name of ['process', 'Buffer', 'performance', 'require', 'TextDecoder'])
      globalThis[name] = { hrtime() { meet(this); throw {} }, from() { meet(this); throw {} } };
    await tools.echo('é'); console.log('é'); for (const n of ['process', 'require']) {
      delete globalThis[n]; }`,
  'polluted prototypes': `
    caught(() => { Object.prototype.then = function (...given) { meet(this, ...given) } });
    caught(() => { Object.prototype.__proto__ = {} });
    caught(() => { Array.prototype[0] = 1 });
    caught(() => Object.defineProperty(Object.prototype, 'get', { value: 1 }));
    meet(await tools.echo(1))`,
  'a replaced then': `
    const kept = Promise.prototype.then;
    caught(() => { Promise.prototype.then = function (...given) { meet(...given) } });
    const p = tools.echo(1);
    caught(() => {
      p.then = function (...given) { meet(...given); return kept.call(this, ...given) } });
    caught(() => { p.constructor = function (f) { meet(f); f(() => 1, () => 1) } });
    meet(await p)`,
  'a replaced iterator': `
    caught(() => { Array.prototype[Symbol.iterator] = function* () { meet(this) } });
    console.log(1, 2); meet(await tools.echo([1]))`,
  'hasInstance': `
    const spy = { get [Symbol.hasInstance]() { meet(this); return () => true } };
    caught(() => ({}) instanceof spy);
    console.log({ get [Symbol.toStringTag]() { meet(this); return 'x' } })`,
  'a tagged template': 'meet(((...given) => given)`a${1}b`, String.raw`x`.constructor)',
  'with, in sloppy text': `
    meet(new Function('t', 'with (t) { return [typeof process, this, echo] }')(tools)[1])`,
  'a label of eval': 'caught(() => eval("var process = 1; process")); meet(eval("this"))',
  'html comments': 'caught(() => eval("<!-- x\\n1")); caught(() => new Function("<!--", "")())',
  'breaking out of a made function':
    'caught(() => new Function("/*", "*/){")); caught(() => Function("}, function () {"))',
  'Intl': `
    meet(new Intl.DateTimeFormat().formatToParts(0)[0], Intl.Collator.supportedLocalesOf('en'));
    caught(() => new Intl.NumberFormat('x-invalid-locale-') )`,
  'RegExp statics': '/a(b)/.exec("ab"); meet(RegExp.$1, RegExp.lastMatch, RegExp)',
  'JSON with a reviver':
    'JSON.parse("[1]", function (k, v) { meet(this); return v }); caught(() => JSON.parse("{"))',
  'stack of a syntax error': 'caught(() => eval("let let = 1")); caught(() => new RegExp("["))',
  'an error of an invalid length': 'caught(() => new Array(-1)); caught(() => "x".repeat(-1))',
  'a string that is too long': 'caught(() => "x".repeat(2 ** 29).repeat(8))',
  'bytes that no string holds': 'caught(() => emit(new Uint8Array(600 * 2 ** 20)))',
  'a file that no string holds': 'caught(() => file("a", new ArrayBuffer(600 * 2 ** 20)))',
  'what is shown': `
    caught(() => emit(new DataView(new ArrayBuffer(4)))); caught(() => image('data:x'));
    caught(() => text(Symbol())); caught(() => store('a', () => 1)); caught(() => load(1));
    meet(emit, file, image, text, store, load)`,
  'more calls than are open': `
    const all = []; for (let i = 0; i < 30; i++) all.push(tools.never(i).catch((e) => e));
    meet(all[0], await all[29])`,
};

// Where the runner does not so much as ask.
const NOTHING_MET = ["node's own inspecting", 'a global that shadows one of the runner'];
const AT_ONCE = 12;

const programOf = (names) => `${OUT}
  const told = {};
  ${names
    .map((name) => `met = []; try { ${WAYS[name]} } catch (e) { meet(e) }
      told[${JSON.stringify(name)}] = [met.length > 0, await any()];`)
    .map((text) => `await (async () => { ${text} })();`)
    .join('\n')}
  return told`;

for (const node of nodes) {
  const version = execFileSync(node, ['-v']).toString().trim();
  const wishes = { globals: 'pure' };
  const limits = { calls_open: 20, calls: 20000 };

  test(`node ${version}: no known way leads out of a realm`, async () => {
    const all = Object.keys(WAYS);
    for (let at = 0; at < all.length; at += AT_ONCE) {
      const names = all.slice(at, at + AT_ONCE);
      const r = await run(programOf(names), { node, wishes, limits, timeout: 60000 });
      assert.ok(r.done, `${names} ${r.stderr}`);
      assert.equal(r.done.how, 'ok', r.text);
      for (const name of names)
        assert.deepEqual(r.value[name], [!NOTHING_MET.includes(name), false], name);
    }
  });

  test(`node ${version}: what was thrown is not asked for its words by node`, async () => {
    const custom = `[Symbol.for('nodejs.util.inspect.custom')]`;
    const r = await run(`throw { ${custom}(...given) { console.log(given.length) } }`, {
      node,
      wishes,
    });
    assert.equal(r.failure.kind, 'exception', r.text);
    assert.deepEqual(r.logs, []);
  });

  test(`node ${version}: an error of node's own realm takes no setter`, async () => {
    const r = await run(
      `let outer;
      try { file('x', new Uint8Array(420e6)) } catch (e) { outer = Object.getPrototypeOf(e) }
      const put = (name) => Reflect.defineProperty(outer, name, { set() {} });
      return [outer !== Error.prototype, put('code'), put('name')]`,
      { node, wishes },
    );
    assert.deepEqual(r.value, [true, false, false], r.text);
  });

  test(`node ${version}: the table can tell`, async () => {
    const r = await run(`${OUT}\nmeet(process); return any()`, { node });
    assert.equal(r.value, true);
  });
}
