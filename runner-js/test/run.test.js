// Programs in a real process, started by the real launch line, on every node under test.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { nodes, run } from './home.js';

const major = (node) =>
  run('return process.versions.node', { node }).then((r) => Number(r.value.split('.')[0]));
const levels = (r) => r.logs.map(([level]) => level);
const texts = (r) => r.logs.map(([, text]) => text);

for (const node of nodes) {
  const version = await major(node);
  const on = (name, check) => test(`node ${version}: ${name}`, check);
  const value = async (program, options) => {
    const r = await run(program, { node, ...options });
    assert.ok('value' in r, r.text || r.stderr);
    return r.value;
  };
  const failure = async (program, options) => {
    const r = await run(program, { node, ...options });
    assert.ok(r.failure, `${r.text} ${r.stderr}`);
    return r.failure;
  };

  on('a value comes home, and nothing is undefined', async () => {
    assert.deepEqual(await value('return { a: [1, "€", null] }'), { a: [1, '€', null] });
    const r = await run('const x = 1', { node });
    assert.deepEqual([r.done.how, r.text, r.value], ['ok', '', undefined]);
    assert.equal((await run('', { node })).text, '');
  });

  on('hello says who speaks and stats how it went', async () => {
    const r = await run('return 1', { node });
    assert.equal(r.hello.protocol, 1);
    assert.equal(r.hello.pid, r.hello.group);
    assert.match(r.hello.digest, /^[0-9a-f]{64}$/);
    assert.equal(r.hello.node, r.stats.node);
    assert.ok(
      r.stats.compute_ms >= 0 && r.stats.heap_peak_bytes > 1e6 && r.stats.rss_peak_bytes > 1e7,
    );
    assert.equal(r.noise, '');
    assert.equal(r.stderr, '');
  });

  on('calls carry their first argument, and answers come back', async () => {
    const r = await run(
      'return [await tools.echo({ city: "Turin" }, 2), await tools.echo(), await ' +
        'tools.echo(null)].map(String)',
      { node },
    );
    assert.deepEqual(r.value, ['[object Object]', 'undefined', 'null']);
    assert.deepEqual(r.calls, [
      ['tools.echo', '{"city":"Turin"}'],
      ['tools.echo', ''],
      ['tools.echo', 'null'],
    ]);
  });

  on('10,000 calls at once and 100 in a row all find their answers', async () => {
    assert.equal(
      await value(
        'const all = await Promise.all(Array.from({ length: 10000 }, (_, i) => ' +
          'tools.echo(i))); return all.every((v, i) => v === i)',
      ),
      true,
    );
    assert.equal(
      await value(
        'let sum = 0; for (let i = 0; i < 100; i++) sum += await tools.echo(i); return sum',
      ),
      4950,
    );
  });

  on('a rejected call is an error of its namespace', async () => {
    const program = `
      const thrown = { message: 'out of stock', code: 'none', data: { left: 0 } };
      try {
        await tools.fail(thrown);
      } catch (e) {
        return [
          e instanceof ToolError, e instanceof Error, e.constructor === ToolError, e.name,
          e.message, e.tool, e.code, e.data, /program:4:\\d+/.test(e.stack),
        ];
      }`;
    assert.deepEqual(await value(program), [
      true,
      true,
      true,
      'ToolError',
      'out of stock',
      'fail',
      'none',
      { left: 0 },
      true,
    ]);
    const told = await failure('\n  await tools.fail({ message: "no" })');
    assert.equal(told.code, 'tool_error');
    assert.equal(told.name, 'ToolError');
    assert.deepEqual([told.line, told.column], [2, 3]);
    assert.match(told.stack, /^ToolError: no\n {4}at (async )?program:2:3$/);
  });

  on('each namespace has its class and its member', async () => {
    const spaces = [
      { name: 'db', functions: ['get'], error: 'DbError', member: 'method' },
      { name: 'web', functions: ['get'], error: 'WebError', member: 'verb' },
    ];
    const tools = {
      get: () => {
        throw { message: 'x' };
      },
    };
    assert.deepEqual(
      await value(
        'const e = await db.get().catch((e) => e), f = await web.get().catch((e) => e); return ' +
          '[e instanceof DbError, e.method, f instanceof WebError, f.verb, f instanceof DbError]',
        { spaces, tools },
      ),
      [true, 'get', true, 'get', false],
    );
  });

  on('any own name is a function, and no namespace is thenable', async () => {
    const functions = ['__proto__', 'constructor', 'toString', 'then', 'a-b', '😀'];
    const tools = Object.fromEntries(functions.map((name) => [name, () => JSON.stringify(name)]));
    Object.defineProperty(tools, '__proto__', { value: () => '"__proto__"', enumerable: true });
    const program =
      'await tools; return [await tools.__proto__(), await tools.constructor(), await ' +
      'tools.toString(), await tools.then_(), await tools["a-b"](), await tools["😀"](), typeof ' +
      'tools.then, typeof tools.hasOwnProperty, Object.isFrozen(tools), ' +
      'Object.keys(tools).length]';
    const r = await run(program, {
      node,
      functions,
      tools: { ...tools, __proto__: null, ['__proto__']: () => '"__proto__"' },
    });
    assert.deepEqual(r.value, [
      '__proto__',
      'constructor',
      'toString',
      'then',
      'a-b',
      '😀',
      'undefined',
      'undefined',
      true,
      6,
    ]);
  });

  on('arguments and results that are no lossless JSON are refused by path', async () => {
    const r = await run(
      'const out = []; for (const v of [{ a: [1, new Date()] }, tools.echo(1), { f() {} }, { ' +
        'p: [tools.echo(2)] }]) try { await tools.echo(v) } catch (e) { out.push(`${e.name}: ' +
        '${e.message}`) } return out',
      { node },
    );
    assert.deepEqual(r.value, [
      'TypeError: the argument of tools.echo is no lossless JSON: $.a[1] is a Date',
      'TypeError: the argument of tools.echo is no lossless JSON: $ is a promise: did you ' +
        'forget await?',
      'TypeError: the argument of tools.echo is no lossless JSON: $.f is a function',
      'TypeError: the argument of tools.echo is no lossless JSON: $.p[0] is a promise: did you ' +
        'forget await?',
    ]);
    const told = await failure('return { a: [1, undefined] }');
    assert.deepEqual(
      [told.kind, told.code, told.message],
      [
        'invalid-output',
        'invalid_output',
        "the program's result is no lossless JSON: $.a[1] is undefined",
      ],
    );
    assert.equal(
      (await failure('return { a: tools.echo(1) }')).message,
      "the program's result is no lossless JSON: $.a is a promise: did you forget await?",
    );
    assert.deepEqual(
      await value('return { a: undefined, d: new Date(0), n: NaN }', { values: 'json' }),
      { d: '1970-01-01T00:00:00.000Z', n: null },
    );
  });

  on('10,000 levels travel both ways', async () => {
    const program =
      'let v = []; for (let i = 1; i < 10000; i++) v = [v]; const back = await tools.echo(v); ' +
      'let n = 1, w = back; while (w.length) { w = w[0]; n++ } console.log(n); return back';
    const r = await run(program, { node });
    assert.equal(r.text, '['.repeat(10000) + ']'.repeat(10000));
    assert.deepEqual(texts(r), ['10000']);
  });

  on('lone surrogates, __proto__ keys and large texts travel both ways', async () => {
    const r = await run(
      'const v = JSON.parse(\'{"__proto__":{"a":1},"s":"a\\\\ud83d"}\'); const w = await ' +
        'tools.echo(v); return [Object.keys(w), w]',
      { node },
    );
    assert.equal(r.text, '[["__proto__","s"],{"__proto__":{"a":1},"s":"a\\ud83d"}]');
    assert.equal(
      await value(
        'const s = "€".repeat(1e6) + "x".repeat(3e6); return (await tools.echo(s)) === s',
      ),
      true,
    );
    assert.equal((await value('return "é".repeat(2e6)')).length, 2e6);
  });

  on('console has its levels, formats like node, and keeps its order with raw writes', async () => {
    const r = await run(
      `console.log('point', { x: 1, y: 2 });
      process.stdout.write('raw-out\\n');
      console.warn('careful');
      console.error(new Error('e').message);
      console.debug('%d-%s', 1, 'a');
      console.info();
      process.stderr.write('raw-err');
      console.log({ a: { b: { c: { d: { e: { f: 1 } } } } } });
      console.log(Array(102).fill(0).join('').length, 'x'.repeat(10001).length);
      console.group('g');
      console.log('in');
      console.groupEnd();
      console.table([[1]]);
      console.assert(false, 'as');
      console.dir({ a: 1 })`,
      { node },
    );
    assert.deepEqual(r.logs.slice(0, 7), [
      ['log', 'point { x: 1, y: 2 }'],
      ['stdout', 'raw-out\n'],
      ['warn', 'careful'],
      ['error', 'e'],
      ['debug', '1-a'],
      ['info', ''],
      ['stderr', 'raw-err'],
    ]);
    assert.match(r.logs[7][1], /e: \[Object\]/);
    assert.deepEqual(r.logs.slice(8, 11), [
      ['log', '102 10001'],
      ['log', 'g'],
      ['log', '  in'],
    ]);
    assert.deepEqual(levels(r).slice(11), ['log', 'error', 'log']);
    assert.equal(r.stderr, '');
  });

  on('characters cut between two raw writes arrive whole', async () => {
    const r = await run(
      'for (const b of [0xe2, 0x89, 0xa4]) { process.stdout.write(Buffer.from([b])); await new ' +
        'Promise((go) => setTimeout(go, 2)) } process.stdout.write(Buffer.from([0xe2]))',
      { node },
    );
    assert.deepEqual(r.logs, [
      ['stdout', '≤'],
      ['stdout', '\ufffd'],
    ]);
  });

  on('what is printed past the console is noise on standard error', async () => {
    const r = await run(
      'require("node:child_process").spawnSync("echo", ["grandchild"], { stdio: "inherit" }); ' +
        'require("node:fs").writeSync(1, "raw\\n"); return await tools.echo(1)',
      { node },
    );
    assert.equal(r.value, 1);
    assert.equal(r.stderr, 'grandchild\nraw\n');
  });

  on('the surroundings: empty environment, input at its end, import and require', async () => {
    assert.deepEqual(await value('return { ...process.env }', { env: { A: '1', PATH: '/x' } }), {
      A: '1',
      PATH: '/x',
    });
    assert.deepEqual(await value('return Object.keys(process.env)'), []);
    assert.equal(
      await value(
        'let n = 0; for await (const chunk of process.stdin) n += chunk.length; return n',
      ),
      0,
    );
    assert.equal(await value('return require("node:fs").readFileSync(0).length'), 0);
    assert.equal(
      await value(
        'const { join } = await import("node:path"); return join("a", ' +
          'require("node:path").basename("/b/c"))',
      ),
      'a/c',
    );
    assert.deepEqual(
      await value(
        'return [this === undefined, (function () { return this === undefined })(), ' +
          'require("node:worker_threads").workerData === undefined]',
      ),
      [true, true, true],
    );
    assert.equal(
      await value(
        'const environ = require("node:fs").readFileSync("/proc/self/environ", "utf8"); return ' +
          'environ.includes("SECRET")',
        { processEnv: { ...process.env, SECRET_TOKEN: 'x' } },
      ),
      false,
    );
  });

  on('names of the surroundings can be shadowed', async () => {
    assert.equal(
      await value(
        'const signal = 1, tools = 2, console = 3, ToolError = 4; return signal + tools + ' +
          'console + ToolError',
      ),
      10,
    );
  });

  on('errors have name, message, stack, line and column of the text', async () => {
    const told = await failure('const a = 1;\nfunction boom() {\n    null.x;\n}\n  boom()');
    assert.deepEqual(
      [told.kind, told.code, told.name, told.line, told.column],
      ['exception', 'type_error', 'TypeError', 3, 10],
    );
    assert.match(
      told.stack,
      new RegExp(
        "^TypeError: Cannot read properties of null \\(reading 'x'\\)\\n" +
          ' {4}at boom \\(program:3:10\\)\\n {4}at program:5:3$',
      ),
    );
    const first = await failure('throw new RangeError("one")');
    assert.deepEqual(
      [first.code, first.line, first.column, first.stack],
      ['range_error', 1, 7, 'RangeError: one\n    at program:1:7'],
    );
    assert.equal((await failure('missing()')).code, 'reference_error');
    assert.equal(
      (await failure('class Mine extends Error { name = "Mine" } throw new Mine("m")')).code,
      'thrown',
    );
    const cause = await failure('throw new Error("outer", { cause: new TypeError("inner") })', {
      name: 'my job.js',
    });
    assert.match(
      cause.stack,
      /^Error: outer\n {4}at my job\.js:1:7\nCaused by: TypeError: inner\n {4}at my job\.js:1:35$/,
    );
  });

  on('syntax errors have a place inside the text', async () => {
    const cases = [
      ['const x = ;', 1, 11],
      ['let a = 1;\nlet a = 2;', 2, 5],
      ['return 1;\n  foo(', 2, 6],
      ['return `', 1, 8],
      ['with (a) {}', 1, 1],
      ['if (1) {', 1, 8],
    ];
    for (const [program, line, column] of cases) {
      const told = await failure(program);
      assert.deepEqual(
        [told.kind, told.code, told.name],
        ['exception', 'syntax_error', 'SyntaxError'],
        program,
      );
      assert.equal(told.line, line, program);
      assert.ok(Math.abs(told.column - column) <= 1, `${program}: ${told.column}`);
    }
    assert.match(
      (await failure('import fs from "node:fs";')).message,
      /import statement.*await import/,
    );
    assert.match((await failure('export const a = 1')).message, /export statement.*return/);
    assert.match(
      (await failure('}); (async () => { return 5')).message,
      /Unexpected token|closes a brace/,
    );
  });

  on('what is thrown and is no error is shown', async () => {
    const thrown = async (text) => (await failure(`throw ${text}`)).message;
    assert.equal(await thrown('"plain"'), 'plain');
    assert.equal(await thrown('undefined'), 'undefined');
    assert.equal(await thrown('{ a: 1 }'), '{ a: 1 }');
    assert.equal(await thrown('{ message: "m" }'), 'm');
    assert.equal(await thrown('Symbol("s")'), 'Symbol(s)');
    assert.equal(await thrown('10n'), '10');
    assert.equal(
      await thrown(
        'new Proxy({}, { get() { throw 1 }, getPrototypeOf() { throw 1 }, ownKeys() { throw 1 ' +
          '}, getOwnPropertyDescriptor() { throw 1 } })',
      ).then((t) => typeof t),
      'string',
    );
    assert.equal(
      await thrown('{ [Symbol.for("nodejs.util.inspect.custom")]() { throw 1 } }'),
      'program threw an unrenderable value',
    );
    const odd = await failure(
      'const e = new Error("x"); Object.defineProperty(e, "stack", { get() { throw 1 } }); ' +
        'Object.defineProperty(e, "message", { get() { throw 2 } }); throw e',
    );
    assert.deepEqual([odd.kind, odd.name], ['exception', 'Error']);
  });

  on('hints name what was meant', async () => {
    const functions = ['weather', 'getStock', 'list-all'];
    const spaces = [{ name: 'shop', functions, error: 'ToolError', member: 'tool' }];
    assert.equal(
      (await failure('await shop.wether()', { spaces })).hint,
      'did you mean shop.weather?',
    );
    assert.equal(
      (await failure('await shop.get_stock()', { spaces })).hint,
      'did you mean shop.getStock?',
    );
    assert.equal(
      (await failure('await shop.zzzzzzzz()', { spaces })).hint,
      'shop has: weather, getStock, list-all',
    );
    assert.equal(
      (await failure('await weather()', { functions })).hint,
      'did you mean tools.weather?',
    );
    assert.equal((await failure('const o = {}; o.weather()', { functions })).hint, undefined);
    const then = [{ ...spaces[0], functions: ['then', 'weather'] }];
    assert.equal(
      (await failure('await shop.then()', { spaces: then })).hint,
      'did you mean shop.then_?',
    );
  });

  on('a program that waits for nothing is stalled at once', async () => {
    for (const program of [
      'await new Promise(() => {})',
      'await new Promise(() => {}); return 1',
      'const { once } = require("events"); await once(new (require("events"))(), "x")',
      'await new Promise((go) => signal.addEventListener("abort", go))',
    ]) {
      const r = await run(program, { node });
      assert.deepEqual([r.failure.kind, r.failure.code], ['exception', 'stalled'], program);
    }
  });

  on('a timer, a file operation, a server or a call in flight is no stall', async () => {
    assert.equal(await value('await new Promise((go) => setTimeout(go, 30)); return 1'), 1);
    assert.equal(
      await value('return (await require("node:fs/promises").stat("/")).isDirectory()'),
      true,
    );
    assert.equal(
      await value(
        'await new Promise((go) => AbortSignal.timeout(30).addEventListener("abort", go)); ' +
          'return 2',
      ),
      2,
    );
    assert.equal(
      await value('return await tools.slow()', {
        functions: ['slow'],
        tools: { slow: () => new Promise((go) => setTimeout(() => go('3'), 60)) },
      }),
      3,
    );
    assert.equal(
      await value(
        'const http = require("node:http"); const server = http.createServer((q, s) => ' +
          's.end("ok")).listen(0, "127.0.0.1"); await new Promise((go) => ' +
          'server.once("listening", go)); return await (await ' +
          'fetch(`http://127.0.0.1:${server.address().port}`)).text()',
      ),
      'ok',
    );
  });

  on('late throws and unhandled rejections end the run, the first one', async () => {
    const late = await failure(
      'setTimeout(() => { throw new TypeError("late") }, 5); await new Promise((go) => ' +
        'setTimeout(go, 500))',
    );
    assert.deepEqual(
      [late.kind, late.code, late.message, late.line],
      ['exception', 'type_error', 'late', 1],
    );
    const rejected = await failure(
      'Promise.reject(new RangeError("lost")); await new Promise((go) => setTimeout(go, 500))',
    );
    assert.deepEqual([rejected.code, rejected.message], ['range_error', 'lost']);
    assert.equal(
      (await failure('Promise.reject("text"); await new Promise((go) => setTimeout(go, 500))'))
        .message,
      'text',
    );
    assert.equal(
      await value(
        'process.on("unhandledRejection", () => {}); Promise.reject(1); await new Promise((go) ' +
          '=> setTimeout(go, 30)); return 5',
      ),
      5,
    );
    assert.equal(await value('setTimeout(() => { throw 1 }, 0); return 6'), 6);
  });

  on('leaving early is told with its code', async () => {
    const told = await failure('console.log("x".repeat(1e6)); process.exit(7)');
    assert.deepEqual(
      [told.kind, told.code, told.exit_code, told.message],
      ['worker-exit', 'exited_early', 7, 'worker exited with code 7 before completing'],
    );
    const r = await run('console.log("x".repeat(1e6)); process.exit(0)', { node });
    assert.equal(r.logs[0][1].length, 1e6);
    assert.equal(r.failure.exit_code, 0);
  });

  on('an input is there when it is asked for, whatever its size', async () => {
    const own = 'Object.getOwnPropertyDescriptor(globalThis, "input")';
    const frozen = 'Object.isFrozen(input) && Object.isFrozen(input.at(-1).b)';
    for (const count of [1, 20000]) {
      const input = JSON.stringify([...Array(count).fill(1), { b: [{}] }]);
      const got = await run(
        `const { length } = input;
        const { value, writable, configurable } = ${own};
        let thrown; try { input = 5 } catch (e) { thrown = e.name }
        return [length, value === input, writable, configurable, ${frozen}, thrown]`,
        { node, input },
      );
      assert.deepEqual(got.value, [count + 1, true, false, false, true, 'TypeError'], got.text);
      const unread = await run('return 1', { node, input });
      assert.equal(unread.value, 1);
    }
    for (const size of [1, 40000]) {
      const input = `[${' '.repeat(size)}{"$errand":"what"}]`;
      const bad = await run('try { return input } catch (e) { return e.message }', {
        node,
        input,
        values: 'rich',
      });
      const why = 'the input is no rich value: $[0] has a tag that is not known, "what"';
      assert.equal(bad.value, why, bad.text);
      const good = await run('return input[0].b', {
        node,
        input: `[${' '.repeat(size)}{"b":{"$errand":"bigint","value":"5"}}]`,
        values: 'rich',
      });
      assert.deepEqual(good.value, { $errand: 'bigint', value: '5' });
    }
  });
}
