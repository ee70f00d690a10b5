const timeout = AbortSignal.timeout(200);
await new Promise((resolve) => timeout.addEventListener('abort', resolve));
return timeout.reason.name;
