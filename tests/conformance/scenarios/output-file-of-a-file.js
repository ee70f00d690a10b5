await emit(new File(['hi'], 'hi.txt', { type: 'text/plain' }));
await file(undefined, new File(['hi'], 'hi.txt'));
await file('other.txt', new File(['hi'], 'hi.txt'));
