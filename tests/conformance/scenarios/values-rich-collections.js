return {
  map: new Map([['k', new Set([1, new Map()])], [{ a: [undefined] }, null]]), set: new Set(),
};
