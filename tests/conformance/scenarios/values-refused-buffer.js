return { bytes: Buffer.from('x') };
