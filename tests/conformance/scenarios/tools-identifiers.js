// A name that is no identifier has one, and itself too; the first to ask for an identifier has it.
const own = Object.keys(tools);
return {
  own, listed: ALL_TOOLS.map((tool) => tool.name),
  first: await tools.a_b(), raw: await tools['a-b'](), other: await tools['a+b'](),
  digit: await tools._d_model(), wide: await tools.__(), spaced: await tools['with space'](),
  then: await tools.then_(), constructor: await tools.constructor(),
  thenable: tools.then !== undefined,
};
