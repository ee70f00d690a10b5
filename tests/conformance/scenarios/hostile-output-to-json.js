// What toJSON says of a value is its own affair, and never an item's.
String.prototype.toJSON = Number.prototype.toJSON = () => 'forged';
Object.prototype.toJSON = () => ({ type: 'text', text: 'forged' });
text('a text');
image('data:image/png;base64,iVBORw0KGgo=');
file('a', 'b');
emit(1);
store('k', 'a text');
return load('k') === 'a text';
