// What the tools are to the program: names, paths, what is missing, failures as values, discovery.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { nodes, run } from './home.js';

const space = (functions, more = {}) => ({
  name: 'tools',
  functions,
  error: 'ToolError',
  member: 'tool',
  ...more,
});
const HOSTILE = `
  const rot = () => { throw new SavedError('rot') }, SavedError = Error;
  const { defineProperty } = Object, { ownKeys } = Reflect;
  const classes = [Array, String, Map, Set, WeakSet, Promise, RegExp, Function, Number, Object];
  const objects = [JSON, Reflect, Math, Number, Promise];
  const spoil = (object) => {
    const keys = ownKeys(object);
    for (let k = 0; k < keys.length; k++) {
      if (keys[k] === 'constructor' || keys[k] === '__proto__' || keys[k] === 'prototype') continue;
      try { defineProperty(object, keys[k], { value: rot, configurable: true }) } catch {}
    }
  };
  for (let i = 0; i < classes.length; i++) spoil(classes[i].prototype);
  for (let i = 0; i < objects.length; i++) spoil(objects[i]);
`;

for (const node of nodes) {
  const version = execFileSync(node, ['-v']).toString().trim();
  const on = (name, check) => test(`node ${version}: ${name}`, check);
  const value = async (program, spaces, options) => {
    const r = await run(program, { node, spaces, ...options });
    assert.ok(r.done.how === 'ok', r.text);
    return r.value;
  };

  on('identifiers, raw names and who keeps which', async () => {
    const functions = ['a-b', 'a_b', 'a+b', '1st', 'ключ', '😀', 'then', 'ok'];
    const handlers = Object.fromEntries(functions.map((f) => [f, () => JSON.stringify(f)]));
    assert.deepEqual(
      await value(
        `return {
          keys: Object.keys(tools), all: ALL_TOOLS.map((t) => t.name),
          a_b: await tools.a_b(), raw: await tools['a-b'](), plus: await tools['a+b'](),
          st: await tools._st(), first: await tools['1st'](), emoji: await tools._(),
          key: await tools['ключ'](), then: await tools.then_(), none: tools.then === undefined,
          frozen: Object.isFrozen(ALL_TOOLS) && Object.isFrozen(ALL_TOOLS[0]) &&
            Object.isFrozen(tools), prototype: Object.getPrototypeOf(tools),
        }`,
        [space(functions)],
        { tools: handlers },
      ),
      {
        keys: ['a_b', 'a+b', '_st', '____', '_', 'then_', 'ok'],
        all: ['a_b', 'a+b', '_st', '____', '_', 'then_', 'ok'],
        a_b: 'a-b',
        raw: 'a-b',
        plus: 'a+b',
        st: '1st',
        first: '1st',
        emoji: '😀',
        key: 'ключ',
        then: 'then',
        none: true,
        frozen: true,
        prototype: null,
      },
    );
  });

  on('dotted names are paths, unless a tool stands there', async () => {
    const functions = [
      'x.y.z',
      'x.y',
      'gh.issues.create',
      'gh.pull-request.get',
      'a..b',
      '.c',
      'd.',
    ];
    const handlers = Object.fromEntries(functions.map((f) => [f, () => JSON.stringify(f)]));
    assert.deepEqual(
      await value(
        `return {
          keys: Object.keys(tools), nested: Object.keys(tools.gh),
          xy: await tools.x.y(), xyz: tools.x.y.z === undefined, flat: await tools.x_y_z(),
          create: await tools.gh.issues.create(), raw: await tools['gh.issues.create'](),
          get: await tools.gh.pull_request.get(), get2: await tools.gh['pull-request'].get(),
          none: ['a', 'd'].filter((name) => name in tools),
          inspect: require('util').inspect(tools.gh.issues), text: String(tools.gh),
          json: JSON.stringify(tools.gh), frozen: Object.isFrozen(tools.gh),
        }`,
        [space(functions)],
        { tools: handlers },
      ),
      {
        keys: ['x_y_z', 'x_y', 'gh_issues_create', 'gh_pull_request_get', 'a__b', '_c', 'd_'],
        nested: ['issues', 'pull_request'],
        xy: 'x.y',
        xyz: true,
        flat: 'x.y.z',
        create: 'gh.issues.create',
        raw: 'gh.issues.create',
        get: 'gh.pull-request.get',
        get2: 'gh.pull-request.get',
        none: [],
        inspect: '[Object: null prototype] { create: [Function: gh.issues.create] }',
        text: '[object tools.gh]',
        json: '{"issues":{},"pull_request":{}}',
        frozen: true,
      },
    );
  });

  on('other namespaces are plain, with their own names first', async () => {
    const mail = {
      name: 'mail',
      functions: ['send-all', 'send_all', 'box.list'],
      error: 'E',
      member: 't',
    };
    const handlers = Object.fromEntries(mail.functions.map((f) => [f, () => JSON.stringify(f)]));
    assert.deepEqual(
      await value(
        `return {
          keys: Object.keys(mail), missing: mail.nothing === undefined, list: await mail.box.list(),
          own: await mail.send_all(), raw: await mail['send-all'](), alias: await mail.box_list(),
          all: typeof ALL_TOOLS, proxy: require('util').types.isProxy(mail),
        }`,
        [mail],
        { tools: handlers },
      ),
      {
        keys: ['send-all', 'send_all', 'box.list'],
        missing: true,
        list: 'box.list',
        own: 'send_all',
        raw: 'send-all',
        alias: 'box.list',
        all: 'undefined',
        proxy: false,
      },
    );
  });

  on('what is missing is named, with what was meant', async () => {
    const tail = (name) =>
      ` ALL_TOOLS lists every tool; tools.search({ query }) finds tools by topic.` +
      ` Check for a member with "${name}" in tools.`;
    const names = ['get_stock', 'weather', 'stockList'];
    const told = await value(
      `const told = [];
      for (const name of ['getStock', 'STOCK', 'wether', 'zzz', 'a b'])
        try { tools[name] } catch (e) { told.push([e.name, e.message]) }
      const quiet = [];
      const asked = ['then', 'toJSON', 'toString', 'constructor', '__proto__', Symbol.iterator];
      for (const name of asked) quiet.push(tools[name] === undefined);
      return { told, quiet, has: 'zzz' in tools, own: Object.hasOwn(tools, 'zzz') }`,
      [space(names)],
    );
    assert.deepEqual(told, {
      told: [
        [
          'TypeError',
          `tools.getStock does not exist. Did you mean tools.get_stock?` + tail('getStock'),
        ],
        [
          'TypeError',
          `tools.STOCK does not exist. Did you mean tools.get_stock, tools.stockList?` +
            tail('STOCK'),
        ],
        ['TypeError', `tools.wether does not exist. Did you mean tools.weather?` + tail('wether')],
        [
          'TypeError',
          `tools.zzz does not exist. Available: get_stock, weather, stockList.` + tail('zzz'),
        ],
        [
          'TypeError',
          `tools["a b"] does not exist. Available: get_stock, weather, stockList.` + tail('a b'),
        ],
      ],
      quiet: [true, true, true, true, true, true],
      has: false,
      own: false,
    });
    const many = Array.from({ length: 30 }, (_, i) => `tool_number_${i}`);
    const long = await value(
      `try { tools.zzz } catch (e) { var none = e.message }
      try { tools.toolnumber } catch (e) { var some = e.message }
      return { none, some }`,
      [space(many)],
    );
    assert.equal(long.none, `tools.zzz does not exist.${tail('zzz')}`);
    assert.equal(long.some.match(/tools\.tool_number_/g).length, 5);
    const place = await run('const a = 1;\n  await tools.zzz();', { node });
    assert.deepEqual(
      [place.failure.code, place.failure.line, place.failure.column],
      ['type_error', 2, 15],
    );
  });

  on('whoever looks at tools does no harm', async () => {
    const seen = await value(
      `console.log(tools); console.log('%s %o', tools, tools.echo);
      let clone; try { structuredClone(tools) } catch (e) { clone = e.name }
      let set; try { tools.echo = 1 } catch (e) { set = e.name }
      return {
        text: \`\${tools}\`, json: JSON.stringify({ tools }), clone, set,
        spread: Object.keys({ ...tools }),
        awaited: await tools === tools, entries: Object.entries(tools).length,
      }`,
      [space(['echo', 'a.b'])],
    );
    assert.deepEqual(seen, {
      text: '[object tools]',
      json: '{"tools":{}}',
      clone: 'DataCloneError',
      set: 'TypeError',
      spread: ['echo', 'a_b'],
      awaited: true,
      entries: 2,
    });
  });

  on('spread sends all arguments, bare puts functions among the globals', async () => {
    const spaces = [
      { ...space(['all']), spread: true },
      {
        name: 'home',
        functions: ['print', 'fs.read', 'fs.write', 'then'],
        error: 'HomeError',
        member: 'tool',
        bare: true,
        spread: true,
      },
      { name: 'one', functions: ['fs.stat'], error: 'HomeError', member: 'tool', bare: true },
    ];
    const echo = (args) => args;
    const seen = await value(
      `const getter = { get a() { throw new Error('no') } };
      return {
        none: await tools.all(), gaps: await tools.all(undefined, 1, undefined),
        print: await print('a', { b: 1 }), read: await fs.read('x', 2), stat: await fs.stat(1, 2),
        keys: Object.keys(fs), home: typeof home, then: typeof then_, frozen: Object.isFrozen(fs),
        refused: await print(1, () => 2).catch((e) => e.message),
        failed: await fs.write().catch((e) => [e instanceof HomeError, e.tool]),
      }`,
      spaces,
      {
        tools: {
          all: echo,
          print: echo,
          'fs.read': echo,
          'fs.stat': echo,
          'fs.write': () => {
            throw { message: 'full' };
          },
        },
      },
    );
    assert.deepEqual(seen, {
      none: [],
      gaps: [null, 1, null],
      print: ['a', { b: 1 }],
      read: ['x', 2],
      stat: 1,
      keys: ['read', 'write', 'stat'],
      home: 'undefined',
      then: 'function',
      frozen: true,
      refused: 'the argument of print is no lossless JSON: $[1] is a function',
      failed: [true, 'fs.write'],
    });
  });

  on('failures come as values, defects and mistakes of the program do not', async () => {
    const told = {
      reject: {
        message: 'sold out',
        code: 'no_stock',
        data: { status: 409, retryable: false, left: 0 },
      },
      bare: { message: 'plain' },
      internal: { message: 'Internal tool error [0123abcd]', code: 'internal' },
    };
    const seen = await value(
      `const missing = await tools.ehco({}), deep = await tools.nowhere.at.all();
      return {
        ok: await tools.echo({ a: 1 }), none: await tools.echo(),
        rejected: await tools.fail(${JSON.stringify(told.reject)}),
        bare: await tools.fail(${JSON.stringify(told.bare)}), missing, deep,
        refused: await tools.echo(() => 1), large: await tools.echo('x'.repeat(5000)),
        defect: await tools.fail(${JSON.stringify(told.internal)}).catch((e) =>
          [e instanceof ToolError, e.name, e.message, e.code, e.tool]),
      }`,
      [space(['echo', 'fail'], { failures: 'value' })],
      { limits: { frame_bytes: 4096 } },
    );
    assert.deepEqual(seen.ok, { ok: true, data: { a: 1 } });
    assert.deepEqual(seen.none, { ok: true });
    assert.deepEqual(seen.rejected, {
      ok: false,
      error: {
        code: 'no_stock',
        message: 'sold out',
        status: 409,
        retryable: false,
        details: told.reject.data,
      },
    });
    assert.deepEqual(seen.bare, { ok: false, error: { code: 'tool_error', message: 'plain' } });
    assert.equal(seen.missing.error.code, 'tool_not_found');
    assert.deepEqual(seen.missing.error.suggestions, ['echo']);
    assert.match(seen.deep.error.message, /^tools\.nowhere does not exist\./);
    assert.deepEqual(seen.refused, {
      ok: false,
      error: {
        code: 'invalid_tool_arguments',
        message: 'the argument of tools.echo is no lossless JSON: $ is a function',
      },
    });
    assert.equal(seen.large.error.code, 'value_too_large');
    assert.deepEqual(seen.defect, [true, 'ToolError', told.internal.message, 'internal', 'fail']);
  });

  on('search and describe, over what home told', async () => {
    const functions = ['github.issues.create', 'github.issues.list', 'weather', 'getStockPrice'];
    const abouts = [
      { description: 'Opens an issue', input: '{ title: string; }', output: '{ id: number; }' },
      { description: 'Lists issues of a repository' },
      null,
      { description: 'What a share costs' },
    ];
    const seen = await value(
      `const told = (e) => [e.name, e.message, e.code, e.tool];
      const why = async (promise) => promise.then(() => 'no', told);
      return {
        none: await tools.search({}), issue: await tools.search({ query: 'issues create' }),
        camel: await tools.search({ query: 'stock price' }),
        exact: await tools.search({ query: 'weather' }),
        all: await tools.search({ namespace: 'github', limit: 1 }),
        rest: await tools.search({ namespace: 'github', offset: 1 }),
        plain: await tools.search({ namespace: 'tools' }),
        nothing: await tools.search({ query: 'zzz' }),
        both: await tools.search({ query: 'issue repository zzz' }),
        described: await tools.describe({ path: 'github.issues.create' }),
        same: await tools.describe.tool({ path: 'tools.weather' }),
        unknown: await tools.describe({ path: 'wether' }),
        wrong: [
          await why(tools.search('x')), await why(tools.search({ query: 1 })),
          await why(tools.search({ query: 'x', limit: 0 })),
          await why(tools.search({ query: 'x', offset: -1 })),
          await why(tools.describe('weather')), await why(tools.search({ namespace: 4 })),
        ],
        listed: Object.keys(tools).length, own: tools.search.name,
      }`,
      [space(functions, { abouts })],
    );
    assert.deepEqual(seen.none, { items: [], total: 0, hasMore: false, nextOffset: null });
    assert.deepEqual(seen.issue.items[0], {
      path: 'github.issues.create',
      name: 'create',
      description: 'Opens an issue',
      integration: 'github',
      // The path holds the phrase and both words, the name one of them; all were found.
      score: 12 * 6 + 12 * 4 * 2 + 10 * 4 + 25 + 8,
    });
    assert.deepEqual(
      seen.camel.items.map((i) => i.path),
      ['getStockPrice'],
    );
    // Path and name are the phrase itself, and the word.
    assert.equal(seen.exact.items[0].score, 12 * 14 + 12 * 4 + 10 * 14 + 10 * 4 + 25 + 8 + 20);
    assert.deepEqual(
      [seen.all.items.map((i) => i.path), seen.all.total, seen.all.hasMore, seen.all.nextOffset],
      [['github.issues.create'], 2, true, 1],
    );
    assert.deepEqual(
      [seen.rest.items.map((i) => i.path), seen.rest.hasMore, seen.rest.nextOffset],
      [['github.issues.list'], false, null],
    );
    assert.deepEqual(
      seen.plain.items.map((i) => i.path),
      ['getStockPrice', 'weather'],
    );
    assert.equal(seen.nothing.total, 0);
    assert.deepEqual(
      seen.both.items.map((i) => i.path),
      ['github.issues.list'],
    );
    assert.deepEqual(seen.described, {
      path: 'github.issues.create',
      name: 'create',
      description: 'Opens an issue',
      inputTypeScript: '{ title: string; }',
      outputTypeScript: '{ id: number; }',
    });
    assert.deepEqual(seen.same, {
      path: 'weather',
      name: 'weather',
      inputTypeScript: 'unknown',
      outputTypeScript: 'unknown',
    });
    assert.deepEqual(seen.unknown.error.suggestions, ['weather']);
    assert.equal(seen.unknown.error.code, 'tool_not_found');
    const failure = (text, tool) => ['ToolError', text, 'invalid_tool_arguments', tool];
    assert.deepEqual(seen.wrong, [
      failure(
        'tools.search expects an object: ' +
          '{ query?: string, namespace?: string, limit?: number, offset?: number }',
        'search',
      ),
      failure('tools.search query must be a string when provided', 'search'),
      failure('tools.search limit must be a positive integer when provided', 'search'),
      failure('tools.search offset must be a non-negative integer when provided', 'search'),
      failure('tools.describe expects an object: { path: string }', 'describe'),
      failure('tools.search namespace must be a string when provided', 'search'),
    ]);
    assert.deepEqual([seen.listed, seen.own], [4, 'search']);
    const theirs = await value(
      'return [await tools.search("x"), typeof tools.describe]',
      [space(['search'])],
      { tools: { search: (args) => args } },
    );
    assert.deepEqual(theirs, ['x', 'function']);
    const union = await value('return tools.describe({ path: "a" })', [
      space(['a'], { failures: 'value', abouts: [{ description: '', output: 'string' }] }),
    ]);
    assert.equal(
      union.outputTypeScript,
      '{ ok: true; data: string; } | { ok: false; error: ToolFailure; }',
    );
    assert.match(union.typeScriptDefinitions.ToolFailure, /code: string;/);
  });

  on('patched intrinsics change neither guard nor search nor values', async () => {
    const r = await run(
      `${HOSTILE}
      let missing; try { tools.ehco } catch (e) { missing = e.message }
      const found = await tools.search({ query: 'issues create' });
      const described = await tools.describe({ path: 'gh.issues.create' });
      const nobody = await tools.describe({ path: 'gh.issues.creat' });
      const called = await tools.gh.issues.create({ n: 1 });
      const spread = await all(1, undefined);
      return { missing, n: found.total, path: found.items[0].path, input: described.inputTypeScript,
        near: nobody.error.suggestions[0], called, spread }`,
      {
        node,
        spaces: [
          space(['echo', 'gh.issues.create'], { abouts: [null, { description: 'd', input: 'T' }] }),
          { name: 'x', functions: ['all'], error: 'E', member: 't', bare: true, spread: true },
        ],
        tools: { 'gh.issues.create': (args) => args, all: (args) => args },
      },
    );
    assert.deepEqual(
      r.value,
      {
        missing:
          'tools.ehco does not exist. Did you mean tools.echo? ALL_TOOLS lists every tool; ' +
          'tools.search({ query }) finds tools by topic. Check for a member with "ehco" in tools.',
        n: 1,
        path: 'gh.issues.create',
        input: 'T',
        near: 'gh.issues.create',
        called: { n: 1 },
        spread: [1, null],
      },
      r.text,
    );
    const polluted = await run(
      `for (const key of ['code', 'data', 'then', 'details', 'input', 'description', 'query', '0'])
        Object.defineProperty(Object.prototype, key, { get() { throw 1 }, configurable: true });
      Object.defineProperty(Array.prototype, 0, { set() { throw 2 }, configurable: true });
      let missing; try { tools.ehco } catch (e) { missing = 'told' }
      delete Object.prototype.then;
      const failed = await tools.fail({ message: 'm' }).catch((e) => e.message);
      delete Object.prototype[0]; delete Array.prototype[0];
      return [missing, failed]`,
      { node },
    );
    assert.deepEqual(polluted.value, ['told', 'm'], polluted.text);
  });

  on('a name that is not there, and a call that nobody waited for', async () => {
    const failure = async (program, spaces) => (await run(program, { node, spaces })).failure;
    assert.match(
      (await failure('return mial.send()', [{ ...space(['send']), name: 'mail' }])).hint,
      /^did you mean mail\? given to the program: mail, console, signal/,
    );
    assert.match(
      (await failure('return nothing', undefined)).hint,
      /^given to the program: tools, console, signal, ALL_TOOLS/,
    );
    assert.equal(
      (await failure('const p = tools.never(); return p.items.length', undefined)).hint,
      '1 call has no answer yet (tools.never): was an await forgotten?',
    );
  });
}
