try {
  await tools.fail({ message: 'no', code: 'c', data: { when: new Date(5), bytes: new Uint8Array(1) } });
} catch (error) {
  return [error.message, error.code, error.data.when instanceof Date, error.data];
}
