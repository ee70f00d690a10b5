const enum Level { Low = 1, High = 1 << 4 }
const level: Level = Level.High;
return level;
