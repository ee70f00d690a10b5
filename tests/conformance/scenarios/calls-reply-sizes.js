// Around 64 KiB, and ten mebibytes: no line limit, no cliff.
const sizes = [];
for (const n of [65533, 65534, 65535, 65536, 10485760]) sizes.push((await tools.big({ n })).length);
return sizes;
