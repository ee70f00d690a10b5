const degrees = await tools.echo(21)
export default { degrees, kind: 'C' }
