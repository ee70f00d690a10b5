const seen = {
  ok: await tools.echo({ a: [1] }), nothing: await tools.nothing(),
  plain: await tools.fail({ message: 'plain' }),
  whole: await tools.fail({ message: 'm', name: 'N', code: 'no_stock', data: { status: 409, retryable: true, left: 0 } }),
  data: await tools.fail({ message: 'm', data: ['any'] }),
  throws: await mail.fail({ message: 'thrown' }).catch((error) => error.message),
};
for (const name in seen) console.log(name, JSON.stringify(seen[name]));
