return { list: Object.assign([1], { extra: 2 }) };
