// The two plain answers that the control plane, the edge and envd share.

export function answerJson(reply, status, value, headers = {}) {
  const bytes = Buffer.from(JSON.stringify(value));
  reply.head(status, { 'Content-Type': 'application/json', 'Content-Length': bytes.length,
    ...headers });
  reply.end(bytes);
}

// Here a code is the HTTP status as a number, where Connect has a word.
export function answerError(reply, status, message, more = {}) {
  answerJson(reply, status, { code: status, message, ...more });
}

export function answerNothing(reply, status = 204, headers = {}) {
  reply.head(status, headers);
  reply.end();
}
