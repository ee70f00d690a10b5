return { get late() { throw new Error('no'); } };
