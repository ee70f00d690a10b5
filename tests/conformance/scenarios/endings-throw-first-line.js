throw new RangeError('at the very start');
