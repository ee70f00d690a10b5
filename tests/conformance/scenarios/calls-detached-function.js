const { echo } = tools;
return [await echo('a'), await echo.call(null, 'b'), await ['c'].map(echo)[0]];
