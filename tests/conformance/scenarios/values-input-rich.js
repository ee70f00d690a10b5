const [map, date, bytes] = [input.m, input.d, input.b];
map.set('more', 1);
bytes[0] = 9;
return [map, date.getTime(), bytes, Object.isFrozen(input), Object.isFrozen(map.get('k')), input.big];
