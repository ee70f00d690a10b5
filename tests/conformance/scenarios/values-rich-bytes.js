return [
  new Uint8Array([1, 2, 255]), new ArrayBuffer(2), Buffer.from('hi'),
  new DataView(new ArrayBuffer(4), 1, 2), new Uint16Array([1, 2, 3]).subarray(1),
];
