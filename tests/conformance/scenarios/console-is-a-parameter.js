// Taking console away from globalThis does not take it from the program.
globalThis.console = undefined;
console.log('still');
