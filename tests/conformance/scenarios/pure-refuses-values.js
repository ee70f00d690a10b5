return { a: [new Map()] };
