try { await tools.echo({ a: [{ when: new Date(0) }] }); } catch (error) { return error.message; }
