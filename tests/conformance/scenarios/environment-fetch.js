return [typeof fetch, typeof structuredClone, typeof Buffer, typeof WebAssembly, typeof URL];
