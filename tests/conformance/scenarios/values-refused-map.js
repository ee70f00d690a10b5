return { m: new Map([[1, 2]]) };
