const x: number = 41;
enum Step { One = 1 }
return x + Step.One;
