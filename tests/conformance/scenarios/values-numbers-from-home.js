// What home sends is JSON text: a number there is what JSON.parse makes of it.
return [await home.big(), await home.minus(), await home.exponent(), await home.many()];
