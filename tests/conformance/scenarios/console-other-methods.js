console.table([{ a: 1 }]);
console.group('group');
console.log('inside');
console.groupEnd();
console.assert(false, 'asserted');
console.dir({ a: 1 });
console.count();
console.trace === undefined || console.log('traced');
