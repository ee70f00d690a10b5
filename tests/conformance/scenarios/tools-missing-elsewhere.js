// Other namespaces than tools are plain: what is not there is undefined.
console.log(mail.sned === undefined, Object.getPrototypeOf(mail));
return mail.sned();
