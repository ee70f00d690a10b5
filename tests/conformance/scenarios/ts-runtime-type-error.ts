const user: { name?: string } = {};
return user.name!.length;
