const failed = await import('library').catch((error) => error);
console.log(failed.stack.split('\n')[1]);
try {
  await import('libraries');
} catch (cause) {
  throw new Error('in vain', { cause });
}
