Error.prepareStackTrace = (error, frames) => ({ frames: frames.length });
throw new Error('object stack');
