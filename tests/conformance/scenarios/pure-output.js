text({ a: [1] });
image('data:image/png;base64,iVBORw0KGgo=');
emit({ type: 'text', text: 'a block' });
emit(new Uint8Array([104, 105]));
file('a.txt', 'ü');
store('a', { b: 1 });
const said = [load('a').constructor === Object, typeof Blob];
try {
  image('nothing');
} catch (error) {
  said.push(error instanceof TypeError, error.constructor === TypeError);
}
for (const job of [text, image, emit, file, store, load, exit])
  said.push(job.constructor === Function && Object.getPrototypeOf(job) === Function.prototype);
console.log(said);
exit();
