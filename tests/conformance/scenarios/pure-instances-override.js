class Mine extends Error {
  constructor(message) {
    super(message);
    this.name = 'Mine';
    this.message = message + '!';
  }
}
const o = {};
for (const name of ['constructor', 'name', 'message', 'toString', 'toLocaleString', 'valueOf',
  'toJSON', 'hasOwnProperty']) o[name] = name;
const list = [1];
list.toString = () => 'list';
list.constructor = undefined;
const date = new Date(0);
date.toJSON = () => 'date';
const f = () => {};
f.toString = () => 'f';
function Old() {}
Old.prototype = Object.create(Map.prototype);
Old.prototype.constructor = Old;
Old.prototype.toString = () => 'old';
const error = new Mine('m');
return [o, Object.keys(o).length, `${list}`, JSON.stringify(date), `${f}`, `${new Old()}`,
  `${error}`, error instanceof Mine, { ...o }.valueOf, [1, 2].map((x) => x + 1).length];
