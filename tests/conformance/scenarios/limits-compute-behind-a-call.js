// A call that never comes back does not stop the meter.
tools.never();
await tools.echo(1);
for (;;);
