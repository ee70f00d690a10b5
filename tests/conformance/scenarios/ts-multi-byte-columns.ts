const a: string = '😀é'; throw new Error(a);
