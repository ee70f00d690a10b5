return (0, eval)('const x = ;');
