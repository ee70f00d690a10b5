// Whatever is met, its constructor's constructor evaluates text in here.
const seen = new Set();
const out = [];
const probe = (value, path, depth) => {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return;
  if (seen.has(value) || depth > 6) return;
  seen.add(value);
  let maker;
  try {
    maker = value.constructor?.constructor;
  } catch {}
  if (typeof maker === 'function' && maker !== Function && !(value.constructor instanceof Function))
    out.push(path);
  if (!(value instanceof Object) && Object.getPrototypeOf(value) !== null &&
    value !== Object.prototype) out.push(`${path} is of elsewhere`);
  for (const key of Reflect.ownKeys(value)) {
    const own = Reflect.getOwnPropertyDescriptor(value, key);
    probe(own.value, `${path}.${String(key)}`, depth + 1);
    probe(own.get, `${path}.get ${String(key)}`, depth + 1);
    probe(own.set, `${path}.set ${String(key)}`, depth + 1);
  }
  probe(Object.getPrototypeOf(value), `${path}.__proto__`, depth + 1);
};
probe(globalThis, 'globalThis', 0);
probe(tools, 'tools', 0);
probe(await tools.echo({ a: [1] }), 'answer', 0);
probe(await tools.fail({ message: 'm', data: { a: 1 } }).catch((e) => e), 'error', 0);
probe(tools.echo(1), 'promise', 0);
probe(await import('x').catch((e) => e), 'import', 0);
probe(await tools.echo(new Map()).catch((e) => e), 'refusal', 0);
return [out, seen.size > 500];
