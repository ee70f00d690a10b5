throw { code: 'E', reason: 'plain' };
