const seen = [];
try { await db.query('select'); } catch (error) {
  seen.push(error.constructor.name, error.queryName, error instanceof DbError);
}
try { await web.get('x'); } catch (error) {
  seen.push(error.constructor.name, error.tool, error instanceof DbError,
    error instanceof ToolError);
}
return seen;
