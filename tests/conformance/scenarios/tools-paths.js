// A name with dots is a path too, unless a function stands on the way.
return {
  keys: Object.keys(tools), inside: Object.keys(tools.github), frozen: Object.isFrozen(tools.github),
  path: await tools.github.issues.create(1), raw: await tools['github.issues.create'](2),
  flat: await tools.github_issues_create(3), odd: await tools.github['pull-requests'].get(4),
  other: await mail.box.list(5), blocked: typeof tools.files.read.all,
};
