// Nobody waits for this failure; the run goes on to its end, or ends by it: never silently.
tools.fail({ message: 'nobody listens' });
await tools.slow({ ms: 300 });
return 'not reached';
