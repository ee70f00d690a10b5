await tools.never({ n: 1 });
