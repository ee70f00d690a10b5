const text = `\n~~~js\nreturn 1;\n~~~\n`;
const more = `
~~~js
return 2;
~~~
`;
return text === more.replace("2", "1");
