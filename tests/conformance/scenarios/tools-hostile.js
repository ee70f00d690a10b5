// Whatever became of the realm, tools still say what they are.
const fail = () => { throw 'patched'; };
const { defineProperty } = Object, { ownKeys } = Reflect;
const spoil = (object) => {
  const keys = ownKeys(object);
  for (let k = 0; k < keys.length; k++) {
    if (keys[k] === 'constructor' || keys[k] === '__proto__' || keys[k] === 'prototype') continue;
    try { defineProperty(object, keys[k], { value: fail, configurable: true }); } catch {}
  }
};
const spoilt = [
  Array.prototype, String.prototype, Map.prototype, Set.prototype, Promise.prototype, RegExp.prototype,
  Function.prototype, Number.prototype, Object.prototype, JSON, Reflect, Math, Promise, Proxy, Symbol,
];
for (let i = 0; i < spoilt.length; i++) spoil(spoilt[i]);
Error.prepareStackTrace = fail;
let missing;
try { tools.weathr; } catch (error) { missing = error.message; }
const { total, items } = await tools.search({ query: 'weather' });
const { inputTypeScript } = await tools.describe({ path: 'weather' });
const value = await values.fail({ message: 'm', code: 'c' });
let error;
try { await tools.fail({ message: 'm' }); } catch (caught) { error = caught.message; }
return {
  missing: missing.length, total, path: items[0].path, inputTypeScript, value,
  absent: await values.none(), call: await tools.weather(1), error,
};
