return { bytes: new Uint8Array(2) };
