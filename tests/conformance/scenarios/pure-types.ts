enum Level { Low = 1, High }
interface Told { level: Level }
const told: Told = { level: Level.High };
if (told.level === 2) throw new TypeError('here');
