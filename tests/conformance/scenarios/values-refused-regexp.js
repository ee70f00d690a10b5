return [/a/];
