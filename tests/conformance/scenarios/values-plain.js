return {
  null: null, yes: true, no: false, number: 1.5, text: 'text', list: [1, [2, []]],
  object: { a: {} },
};
