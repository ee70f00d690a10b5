// Of a defect at home nothing is told but a word by which its owner finds it.
const told = await tools.defect().catch((error) => error);
console.log(/^Internal tool error \[[0-9a-f]{8}\]$/.test(told.message), JSON.stringify(told));
await tools.defect();
