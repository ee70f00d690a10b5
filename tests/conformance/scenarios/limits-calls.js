const seen = [];
for (let i = 0; i < 4; i++) {
  try { seen.push(await tools.count()); } catch (error) { seen.push(error.code); }
}
return seen;
