return { a: [1, { b: undefined }] };
