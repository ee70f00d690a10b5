return {
  a: undefined, when: new Date(0), n: NaN, m: new Map(), list: [undefined, () => 1],
  own: { toJSON: () => 'own' }, minus: -0,
};
