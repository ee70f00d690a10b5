// All arguments travel, as one array.
return {
  none: await sql.query(), gaps: await sql.query('a', undefined, 2),
  refused: await sql.query('a', () => 1).catch((error) => error.message),
  failed: await sql.fail({ message: 'no' }, 1).catch((error) => [error.tool, error.message]),
};
