require('node:vm').runInNewContext('throw new TypeError("from elsewhere")');
