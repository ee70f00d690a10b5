return { 'not an identifier': { '': [{ 'a.b': undefined }] } };
