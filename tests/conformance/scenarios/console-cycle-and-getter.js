const ring = { name: 'ring' };
ring.ring = ring;
console.log(ring, { get late() { throw new Error('not read'); } });
