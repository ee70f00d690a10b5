// The one log is cut to what fits beside the message: 96 - 41 = 55 bytes, 2 + 2 of them
// brackets and quotes, and whole code points of four bytes each.
console.log('😀'.repeat(1000));
