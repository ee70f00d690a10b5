const seen = [await tools === tools, `${Object.prototype.toString.call(tools)}`];
console.log(typeof JSON.stringify(tools));
return seen;
