// As TypeScript the body does not parse: a class may not declare a private member by delete.
const yes = 3, no = 2, z = 1;
return [yes < no > (z), `${yes}`];
