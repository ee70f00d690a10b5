// What tools does not have may be a namespace of its own.
return tools.github.issues.create({});
