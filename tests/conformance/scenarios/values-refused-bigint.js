return { deep: { a: [1n] } };
