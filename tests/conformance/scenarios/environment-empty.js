return [Object.keys(process.env), process.argv.length <= 2, process.execArgv];
